"""lambdas: an attribute that may be set without being named is read when the function is called, not before."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import migrated, reasons

PROGRAM = """\
import multiprocessing as mp


class Tagger:
    def __init__(self, tag):
        self.tag = tag
        self.steps = []

    def add(self):
        step = lambda row: f"{self.tag}:{row}"
        self.steps.append(step)
        return step

"""
MAIN = """

class Other:
    def fill(self, values):
        self.__dict__.update(values)


def child(tagger):
    print(tagger.steps[0](1))


def main():
    tagger = Tagger("a")
    one, two = tagger.add(), tagger.add()
    print(one == two)
    %s
    process = mp.Process(target=child, args=(tagger,))
    process.start()
    process.join()


if __name__ == "__main__":
    main()
"""


def program(method: str = "", use: str = "pass", below: str = "") -> str:
    return PROGRAM + method + below + MAIN % use


LATE, NOW = "functools.partial(_add_step, self)\n", "functools.partial(_add_step, self.tag)\n"


@each_row(
    ("method", "use", "form"),
    [
        ("", "vars(tagger)['tag'] = 'b'", LATE),
        ("", "tagger.__dict__.update(tag='b')", LATE),
        ("", "tagger.__dict__.update({'tag': 'b'})", LATE),
        ("", "values = tagger.__dict__; values['tag'] = 'b'", LATE),
        ("", "tagger.__setattr__('tag', 'b')", LATE),
        ("", "tagger.__init__('b')", LATE),
        ("    def load(self, **values): self.__dict__.update(values)\n", "pass", LATE),
        ("    def load(self, **values): vars(self).update(**values)\n", "pass", LATE),
        ("    def load(self, values): self.__dict__ = values\n", "pass", LATE),
        ("    def reset(self): self.__init__('b')\n", "pass", LATE),
        ("", "pass", NOW),
        ("", "vars(tagger)['size'] = 3", NOW),
        ("", "tagger.__dict__.update(size=3)", NOW),
        ("", "tagger.__dict__.update({'size': 3})", NOW),
        ("", "tagger.__dict__.setdefault('size', 3)", NOW),
        ("", "tagger.__setattr__('size', 3)", NOW),
        ("", "print(vars(tagger)['tag'], dict(tagger.__dict__))", NOW),
        ("", "Other().fill({'tag': 'b'})", NOW),
        ("", "other = Other(); vars(other)['tag'] = 'b'", NOW),
        ("", "other = Tagger.__new__(Tagger); other.__dict__.update(tagger.__dict__)", NOW),
        ("    def __setstate__(self, state): self.__dict__.update(state)\n", "pass", NOW),
        (
            "    def __getstate__(self):\n        s = self.__dict__\n        s['tag'] = 3\n        return s\n",
            "pass",
            NOW,
        ),
        ("    def shown(self): return self.__dict__\n", "pass", NOW),
    ],
)
def test_read_when_it_is_called(method: str, use: str, form: str) -> None:
    assert form in migrated({"a.py": program(method, use)}, "lambdas")["a.py"]


@each_row(
    "text",
    [
        program("    def __getattribute__(self, name): return object.__getattribute__(self, name)\n"),
        program(
            below="\n\nclass Short(Tagger):\n    @property\n    def tag(self): return 'b'\n\n"
            "    @tag.setter\n    def tag(self, value): pass\n"
        ),
    ],
)
def test_what_a_class_computes(text: str) -> None:
    assert NOW not in migrated({"a.py": text}, "lambdas").get("a.py", "")


LOCKED = """\
import multiprocessing as mp
import threading


class Rows:
    def __init__(self, size):
        self.size = size
        self.lock = threading.Lock()

    def run(self):
        with mp.Pool(1) as pool:
            return pool.map(lambda x: x + self.size, [1])

    {}


{}
if __name__ == "__main__":
    rows = Rows(3)
    print(rows.run())
"""


@each_row(
    ("method", "below", "reason"),
    [
        ("def load(self, values): self.__dict__.update(values)", "", "(`self.size` may be set again at a.py:14)"),
        ("def reset(self): self.__init__(4)", "", "(`self.size` is set again by the constructor, which a.py:14 calls"),
        (
            "",
            "class Few(Rows):\n    def __getattribute__(self, name): return 3\n",
            "(`self.size` is what `Few.__getattribute__` gives (a.py:18))",
        ),
        (
            "",
            "class Few(Rows):\n    @property\n    def size(self): return 3\n",
            "(`self.size` is what `Few.size` gives (a.py:19))",
        ),
    ],
)
def test_where_only_the_attribute_could_go(method: str, below: str, reason: str) -> None:
    assert reason in (reasons({"a.py": LOCKED.format(method, below)}, "lambdas")[0] or "")


@each_row(
    "below",
    [
        "",
        "class Few:\n    def __getattribute__(self, name): return 3\n",
        "class Few:\n    @property\n    def size(self): return 3\n",
        "class Few(Rows):\n    def load(self, state): self.__dict__['name'] = state\n",
    ],
)
def test_the_attribute_goes(below: str) -> None:
    assert "functools.partial(_run_map, self.size)" in migrated({"a.py": LOCKED.format("", below)}, "lambdas")["a.py"]
