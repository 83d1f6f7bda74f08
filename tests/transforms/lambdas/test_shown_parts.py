"""What shows a function from outside: the arguments of its partial, and the names in log records."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.meaning import printed
from harness.small import migrated, reasons, reported

PARTIALS = """\
import functools
import pickle


def build(base):
    def mix(weight, x):
        return weight * x + base

    return functools.partial(mix, 2)


halved = build(1)
pickle.dumps(halved)
print(halved(3), {shown})
"""
LOGGED = """\
import logging
import pickle

{setup}


def build(path):
    def load(index):
        {code}

    return load


pickle.dumps(build("data.bin"))
"""


@each_row("shown", ["len(halved.args)", "halved.args", "halved.func", "halved.keywords"])
def test_a_partial_whose_parts_are_read(shown: str) -> None:
    after = migrated({"a.py": PARTIALS.format(shown=shown)}, "lambdas")["a.py"]
    assert "functools.partial(mix, 2)" in after and "_BuildMix(base)" in after


@pytest.mark.parametrize("shown", ["halved.arguments", "''.args if base else 0", "base"])
def test_parts_of_something_else(shown: str) -> None:
    text = "base = ''\n" + PARTIALS.format(shown=shown)
    assert "mix = functools.partial(_build_mix, base)" in migrated({"a.py": text}, "lambdas")["a.py"]


def test_a_lambda_in_a_partial_whose_parts_are_read() -> None:
    text = PARTIALS.format(shown="len(halved.args)").replace("return functools.partial(mix, 2)", "return halve(base)")
    text = text.replace(
        "def build", "def halve(base):\n    return functools.partial(lambda w, x: w * x + base, 2)\n\n\ndef build"
    )
    after = migrated({"a.py": text}, "lambdas")["a.py"]
    assert "functools.partial(_HalveFn(base), 2)" in after and printed(after) == "7 1\n"


def test_a_lambda_of_many_values_in_a_partial() -> None:
    values = "abcdef"
    text = f"import functools\nimport pickle\n\n\ndef build({', '.join(values)}):\n"
    text += f"    return functools.partial(lambda x, y: x * y + {' + '.join(values)}, 2)\n\n\n"
    text += "built = build(1, 2, 3, 4, 5, 6)\npickle.dumps(built)\nprint(built(4))\n"
    after = migrated({"a.py": text}, "lambdas")["a.py"]
    assert "functools.partial(_BuildFn(a, b, c, d, e, f), 2)" in after and printed(after) == "29\n"


FORMAT = 'logging.basicConfig(format="%(funcName)s: %(message)s")'


@pytest.mark.parametrize("code", ["logging.info(path, index)", "logging.getLogger().log(10, path)"])
def test_a_log_that_shows_the_name_of_its_function(code: str) -> None:
    (finding,) = reported({"a.py": LOGGED.format(setup=FORMAT, code=code)}, "lambdas")
    assert finding.fix is not None
    assert finding.fix.unsafe == "line 9 writes to a log, which shows the name of the function (`funcName`, line 4)"


def test_the_format_stands_in_another_file() -> None:
    files = {"a.py": LOGGED.format(setup="", code="logging.info(path)"), "logs.py": f"import logging\n\n{FORMAT}\n"}
    (finding,) = reported(files, "lambdas")
    assert finding.fix is not None and "(`funcName`, logs.py:3)" in (finding.fix.unsafe or "")


@pytest.mark.parametrize(
    ("setup", "code"), [(FORMAT, "return path + index"), ("logging.basicConfig()", "logging.info(path)")]
)
def test_a_log_that_does_not(setup: str, code: str) -> None:
    assert "_build_load" in migrated({"a.py": LOGGED.format(setup=setup, code=code)}, "lambdas")["a.py"]


ASKED = """\
import inspect
import pickle


def build({base}):
    def mix(x):
        return x + {read}

    return mix


made = build({given})
pickle.dumps(made)
print({shown})
"""


def asked(shown: str, captures: bool) -> dict[str, str]:
    base, read, given = ("base", "base", "1") if captures else ("", "1", "")
    return {"a.py": ASKED.format(base=base, read=read, given=given, shown=shown)}


@pytest.mark.parametrize("shown", ["inspect.getsource(made)", "inspect.getsourcelines(made)[0]"])
def test_a_function_whose_text_is_read(shown: str) -> None:
    (reason,) = reasons(asked(shown, captures=False), "lambdas")
    assert "reads its source text (line 14), which is another at module level" in reason
    assert reasons(asked(shown, captures=True), "lambdas")


def test_the_class_of_a_function() -> None:
    (reason,) = reasons(asked("made.__class__.__name__", captures=True), "lambdas")
    assert reason.startswith("its `__class__` is read (line 14), and a partial is no function")
    assert "\ndef mix(x):" in migrated(asked("made.__class__.__name__", captures=False), "lambdas")["a.py"]


def test_the_text_and_the_class_of_something_else() -> None:
    shown = "inspect.getsource(build), build.__class__"
    assert "functools.partial(_" in migrated(asked(shown, True), "lambdas")["a.py"]
    assert "\ndef mix(x):" in migrated(asked(shown, False), "lambdas")["a.py"]


COPIED = """\
import copy
import dataclasses
import pickle


@dataclasses.dataclass
class Job:
    run: object


def build(rows):
    return Job(lambda x: rows.append(x))


job = build([])
{code}
pickle.dumps(job)
"""


COPIES = ["dataclasses.asdict(job)", "dataclasses.astuple(job)", "copy.deepcopy(job)"]


@pytest.mark.parametrize("code", COPIES)
def test_a_copy_of_what_holds_the_function(code: str) -> None:
    """As an object it is shared by copies; a partial is not."""
    text = COPIED.format(code=code)
    assert "def __deepcopy__(self, memo):" in migrated({"a.py": text}, "lambdas")["a.py"]
    (finding,) = reported(
        {"a.py": text.replace("lambda x: rows.append(x)", "lambda x, self=0: rows.append(x)")}, "lambdas"
    )
    assert finding.fix is not None
    shared = "`copy.deepcopy` (a.py:16) gives the copy its own `rows` here, where it shared that of the original"
    assert finding.fix.unsafe == shared


COPIES_RUN = """\
import copy
import pickle


class Config:
    def __init__(self, hook):
        self.hook = hook


def make(seen):
    def count(step=1):
        seen["all"] = seen.get("all", 0) + step
        return seen["all"]

    return count


config = Config(make({{}}))
other = {copy}
print(config.hook(), other.hook(2), config.hook(0), {told})
print(pickle.loads(pickle.dumps(config)).hook())
"""


@pytest.mark.parametrize(
    ("copy", "method"),
    [
        ("copy.deepcopy(config)", "def __deepcopy__(self, memo):"),
        ("Config(copy.copy(config.hook))", "def __copy__(self):"),
        ("Config(copy.deepcopy(config.hook))", "def __deepcopy__(self, memo):"),
        ("copy.copy(config)", ""),
    ],
)
@pytest.mark.parametrize("told", ["config.hook is other.hook", "config.hook in [other.hook]"])
def test_copies_share_the_object_as_they_shared_the_function(copy: str, method: str, told: str) -> None:
    before = COPIES_RUN.format(copy=copy, told=told)
    after = migrated({"a.py": before}, "lambdas")["a.py"]
    assert (method in after) and ("return self" in after) is bool(method)
    assert printed(after) == "1 3 3 True\n4\n"


def test_a_copy_that_nobody_tells_from_the_original() -> None:
    text = COPIES_RUN.format(copy="Config(copy.copy(config.hook))", told="0")
    assert "functools.partial(_make_count, seen)" in migrated({"a.py": text}, "lambdas")["a.py"]


@pytest.mark.parametrize("code", ["dataclasses.replace(job)", "dataclasses.fields(job)", "copy.copy(job)"])
def test_what_shares_the_function(code: str) -> None:
    assert "functools.partial(" in migrated({"a.py": COPIED.format(code=code)}, "lambdas")["a.py"]


WRAPPED = """\
import pickle


class Apply:
    def __init__(self, fn):
        if {test}:
            raise TypeError({shown})
        self.fn = fn


def build(mean):
    return Apply(lambda x: x - mean)


pickle.dumps(build(2))
"""


@pytest.mark.parametrize("shown", ["type(fn).__name__", "f'not {type(fn)}'", "repr(type(fn))"])
def test_only_what_is_no_function_is_asked_for_its_type(shown: str) -> None:
    text = WRAPPED.format(test="not callable(fn)", shown=shown)
    assert "Apply(functools.partial(_build_apply, mean))" in migrated({"a.py": text}, "lambdas")["a.py"]
    for test in ("not callable(self)", "fn == 1"):
        (reason,) = reasons({"a.py": WRAPPED.format(test=test, shown=shown)}, "lambdas")
        assert reason.startswith("`type` looks at it (line 7)")
