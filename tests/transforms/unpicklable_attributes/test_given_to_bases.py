"""What a class hands to the constructor of its base class, which keeps it; a base class two files away."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import reported

RULE = "unpicklable-attributes"
TEXT = """\
from multiprocessing import Pool

class Base:
    def __init__(self, f=None, n=1):
        self.f = f
        self.n = n

    def run(self, x):
        return x

class Thing(Base):
    def __init__({parameters}):
        super().__init__({call})

if __name__ == "__main__":
    Pool(2).map(Thing(f=open("a")).run, [1])
"""


@each_row(
    ("parameters", "call", "kept"),
    [
        ("self, **kw", "**kw", "self.f"),
        ("self, f", "f", "self.f"),
        ("self, f", "f=f", "self.f"),
        ("self, f", "None, f", "self.n"),
        ("self, f", "n=f", "self.n"),
        ("self, f=None, **kw", "f, **kw", "self.f"),
        ("self, n=1, **kw", "n=n, **kw", "self.f"),
        ("self, f, **kw", "**kw", ""),
        ("self, **kw", "n=3", ""),
        ("self, f, n=1", "n=n", ""),
        ("self, f", "len(f)", ""),
        ("self, f", "", ""),
    ],
)
def test_passed_on_to_the_base(parameters: str, call: str, kept: str) -> None:
    text = TEXT.format(parameters=parameters, call=call)
    found = [text.splitlines()[each.span.line - 1] for each in reported({"a.py": text}, RULE)]
    assert [line.partition(" =")[0].strip() for line in found] == [kept] * bool(kept)


def test_a_base_class_two_files_away() -> None:
    files = {
        "base.py": "class Base:\n    def __init__(self, path):\n        self.f = open(path)\n\n"
        "    def run(self, x):\n        return x\n",
        "mid.py": "from base import Base\n\nclass Mid(Base):\n    pass\n",
        "thing.py": "from multiprocessing import Pool\nfrom mid import Mid\n\nclass Thing(Mid):\n    pass\n\n"
        'if __name__ == "__main__":\n    Pool(2).map(Thing("a").run, [1])\n',
    }
    assert [(each.path, each.span.line) for each in reported(files, RULE)] == [("base.py", 3)]
    apart = {**files, "mid.py": "class Mid:\n    def __init__(self, path):\n        pass\n"}
    assert reported(apart, RULE) == []
