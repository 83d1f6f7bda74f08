"""What classes say of how their objects are pickled: states of a few attributes, and reducers to something else."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.marks import crossing, marked

FILTERS = """\
class Filter:
    name = ""

    def __init__(self, options):
        self.options = options
        self.words = None

    def __getstate__(self):
        {state}
        return state

{more}
class Lines(Filter):
    def __init__(self, options):
        super().__init__(options)
        self.fix = lambda row: row  # {fix}
        self.words = [lambda row: row]  # {words}
"""
DATA = """\
from torch.utils.data import DataLoader, Dataset
from filters import Lines

class Rows(Dataset):
    def __init__(self, options):
        self.filters = {filters}

for batch in DataLoader(Rows({{}}), num_workers=2):
    print(batch)
"""
NAMED = "state = {'options': self.options}\n        if self.options:\n            state['done'] = True"
WORDS = NAMED.replace("done'] = True", "kept'] = self.words")
ASKED = NAMED.replace("done'] = True", "kept'] = getattr(self, 'words', None)")


def filters(
    state: str, fix: str = "possible", words: str = "possible", more: str = "", kept: str = "[Lines(options)]"
) -> dict[str, str]:
    return {
        "filters.py": FILTERS.format(state=state, fix=fix, words=words, more=more),
        "data.py": DATA.format(filters=kept),
    }


STATES = {
    "named one after the other": filters(NAMED),
    "in a dict": filters(NAMED, kept="{'lines': Lines(options)}"),
    "in another object": filters(
        NAMED, more="class Pipe:\n    def __init__(self, filters):\n        self.filters = filters\n"
    )
    | {
        "data.py": DATA.format(filters="Pipe([Lines(options)])").replace("import Lines", "import Lines, Pipe"),
    },
    "found by a name": filters(NAMED)
    | {
        "data.py": DATA.format(filters="[TABLE['lines'](options)]").replace(
            "class", "TABLE = {'lines': Lines}\n\nclass"
        )
    },
    "with what it keeps": filters(WORDS, words="proven"),
    "asked by name": filters(ASKED, words="proven"),
    "of the whole dict": filters(
        "state = dict(self.__dict__)\n        state['options'] = None", fix="proven", words="proven"
    ),
    "left out by a test": filters(
        "state = {k: v for k, v in vars(self).items() if k[0] != 'w'}\n        state['options'] = None"
    ),
    "deleted by a test": filters(
        "state = dict(self.__dict__)\n        state['options'] = None\n        for key in list(state):\n"
        "            if key[0] != 'n':\n                del state[key]"
    ),
    "taken out by a test": filters(
        "state = dict(self.__dict__)\n        state['options'] = None\n        for key in list(state):\n"
        "            if key[0] != 'n':\n                state.pop(key)"
    ),
    "of all that it has": filters("state = dict(vars(self))\n        state['options'] = None", "proven", "proven"),
    "made by a method": filters(
        "state = self.rest()\n        state['options'] = None",
        "proven",
        "proven",
        more="    def rest(self):\n        return dict(self.__dict__)\n",
    ),
    "what a property gives": filters(
        NAMED.replace("done'] = True", "all'] = self.all"),
        "proven",
        "proven",
        more="    @property\n    def all(self):\n        return [self.fix, self.words]\n",
    ),
    "by a name in a variable": filters(
        "state = {}\n        state['name'] = self.name\n        for key in ('fix', 'words'):\n"
        "            state[key] = getattr(self, key)",
        "proven",
        "proven",
    ),
}


@each_row("name", STATES)
def test_state(name: str) -> None:
    assert crossing(STATES[name]) == marked(STATES[name])


REDUCED = """\
import os
import pickle

def build(text):
    return text

def main(text):
    def local():
        return text

    other = local

    class Row{bases}:{mark}
        {method}

        def make(self):
            return text

    pickle.dumps({{"row": {sent}}})

main("x")
"""


def reduced(method: str, *, crosses: bool, bases: str = "", sent: str = "Row()") -> dict[str, str]:
    text = REDUCED.format(method=method, bases=bases, sent=sent, mark="  # proven" if crosses else "")
    return {"a.py": text}


TUPLE = "def __reduce__(self): return ({}, ({}))"
REDUCERS = {
    "a function of a module": reduced(TUPLE.format("os.system", "'x',"), crosses=False),
    "a function of the file": reduced(TUPLE.format("build", "text,"), crosses=False),
    "a builtin": reduced(TUPLE.format("eval", "'1',"), crosses=False),
    "an attribute": reduced(TUPLE.format("build", "self.text,"), crosses=False),
    "for a protocol": reduced("def __reduce_ex__(self, protocol): return build, (text,)", crosses=False),
    "beside a function that it keeps": reduced(
        TUPLE.format("build", "self.text,") + "\n\n        def keep(self):\n            self.fn = lambda: 1",
        crosses=False,
    ),
    "a function that it keeps": reduced(
        TUPLE.format("build", "self.fn,") + "\n\n        def keep(self):\n            self.fn = lambda: 1", crosses=True
    ),
    "of an error": reduced(TUPLE.format("build", "text,"), crosses=False, bases="(ValueError)"),
    "the class": reduced(TUPLE.format("Row", ""), crosses=True),
    "its class": reduced(TUPLE.format("self.__class__", ""), crosses=True),
    "its type": reduced(TUPLE.format("type(self)", ""), crosses=True),
    "the class among the arguments": reduced(TUPLE.format("build", "Row,"), crosses=True),
    "itself among the arguments": reduced(TUPLE.format("build", "self,"), crosses=True),
    "a method": reduced(TUPLE.format("self.make", ""), crosses=True),
    "as usual": reduced("def __reduce__(self): return super().__reduce__()", crosses=True),
    "by both, one as usual": reduced(
        TUPLE.format("build", "text,")
        + "\n\n        def __reduce_ex__(self, protocol): return object.__reduce_ex__(self, protocol)",
        crosses=True,
    ),
    "a base that may say more": reduced(TUPLE.format("build", "text,"), crosses=True, bases="(os.PathLike)"),
    "the class itself is sent": reduced(TUPLE.format("build", "text,"), crosses=True, sent="Row"),
}


@each_row("name", REDUCERS)
def test_reducer(name: str) -> None:
    found = {each for each in crossing(REDUCERS[name]) if each[1] == 13}
    assert found == marked(REDUCERS[name])


@each_row("called", ["local", "other", "lambda: 1"])
def test_a_reducer_to_something_local(called: str) -> None:
    files = reduced(TUPLE.format(called, ""), crosses=True)
    assert marked(files) <= crossing(files)


REGISTERED = """
import copyreg
import multiprocessing as mp

class Row:
    def __init__(self, text):
        self.text = text
        self.show = lambda: text

class Longer(Row):
    pass

def reduced(row):
    return Row, (row.text,)

{register}

if __name__ == "__main__":
    mp.Process(target=print, args=({sent},)).start()
"""


@each_row(
    ("register", "sent", "found"),
    [
        ("copyreg.pickle(Row, reduced)", "Row('a')", False),
        ("copyreg.pickle(Row, reduced)", "Longer('a')", True),  # a class below it is none
        ("copyreg.pickle(int, reduced)", "Row('a')", True),
        ("copyreg.pickle(type(Row('a')), reduced)", "Row('a')", False),
        ("from copyreg import pickle as register\nregister(Row, reduced)", "Row('a')", False),
        ("copyreg.pickle(ob_type=Row, pickle_function=reduced)", "Row('a')", False),
        ("for cls in (Row, int):\n    copyreg.pickle(cls, reduced)", "Row('a')", False),
    ],
)
def test_a_class_for_which_a_reducer_is_registered(register: str, sent: str, found: bool) -> None:
    seen = crossing({"a.py": REGISTERED.format(register=register, sent=sent)})
    assert (("a.py", 7, "proven") in seen) is found


@pytest.mark.parametrize(("path", "found"), [("setup_rows.py", False), ("tests/test_rows.py", True)])
def test_a_reducer_that_another_file_registers(path: str, found: bool) -> None:
    files = {"a.py": REGISTERED.format(register="", sent="Row('a')")}
    more = {path: "import copyreg\nfrom a import Row, reduced\ncopyreg.pickle(Row, reduced)\n"}
    assert (("a.py", 7, "proven") in crossing({**files, **more})) is found  # no program runs a file of tests
