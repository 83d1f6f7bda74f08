"""What is set below the start of processes crosses where that code runs again, or another object comes along."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import reported

TEXT = """
import functools
import multiprocessing as mp
import threading

def again(method):
    @functools.wraps(method)
    def both(*args):
        method(*args)
        method(*args)
    return both

class Base:
    pass

shared = []

class Group(Base):
    known = []
    last = None

    {first}

    {body}

    def work(self, number=0):
        print(number)

{below}

if __name__ == "__main__":
    {main}
"""
LATE = "self.score = lambda x: x"
START = f"mp.Process(target=self.work).start()\n{LATE}"
SPAWN = f"def spawn(self, number=0):\n{START}"
INIT = f"def __init__(self, other=None, default=[]):\n{START}"
CALLS = "def __init__(self, other=None, default=[]):\nself.spawn()"


def found(first: str, body: str = "", below: str = "", main: str = "Group()") -> bool:
    """Something is reported for the class; in `first` and `body`, what is below a `def` is its code."""
    inner = [text.replace("\n", "\n" + 8 * " ") for text in (first, body)]
    text = TEXT.format(
        first=inner[0].replace("        def ", "    def "), body=inner[1].replace("        def ", "    def "),
        below=below, main=main.replace("\n", "\n    "),
    )  # fmt: skip
    return bool(reported({"a.py": text}, "lambdas"))


def calls(*lines: str) -> str:
    return "\n".join(("def __init__(self, other=None, default=[]):", *lines))


def keeps(line: str) -> str:
    return INIT.replace("\n", f"\n{line}\n", 1)


def sends(target: str, args: str = "()") -> str:
    return INIT.replace("target=self.work", f"target={target}, args={args}")


SUB = "class Sub(Group):\n    def __init__(self):\n        {}"
OTHERS = (
    "class One(Group):\n    def __init__(self):\n        {0}\n\nclass Two(Group):\n    def __init__(self):\n        {0}"
)
BOTH = "class Both(One, Two):\n    def __init__(self):\n        One.__init__(self)\n        Two.__init__(self)"
CALLED = "Group.__init__(self)"


@each_row(
    ("first", "body", "below", "main", "kept"),
    [
        # the one call stands in a loop
        (CALLS, SPAWN, "", "Group()", False),
        (calls("for each in range(2): self.spawn(each)"), SPAWN, "", "Group()", True),
        (calls("[self.spawn(each) for each in range(2)]"), SPAWN, "", "Group()", True),
        (calls("while input(): self.spawn()"), SPAWN, "", "Group()", True),
        (calls("list(map(self.spawn, range(2)))"), SPAWN, "", "Group()", True),
        (calls("for each in range(2): print(each)", "self.spawn()"), SPAWN, "", "Group()", False),
        (CALLS, SPAWN.replace("def", "@again\ndef", 1), "", "Group()", True),
        # an initialiser that is called by its name
        (INIT, "", "", "Group()", False),
        (INIT, "def restart(self):\nself.__init__()", "", "Group().restart()", True),
        (INIT, "def restart(self):\nGroup.__init__(self)", "", "Group().restart()", True),
        (INIT, "def restart(self):\ntype(self).__init__(self)", "", "Group().restart()", True),
        (INIT, "reset = __init__", "", "Group().reset()", True),
        (CALLS, f"{SPAWN}\ndef restart(self):\nself.__init__()", "", "Group().restart()", True),
        (INIT, "def __new__(cls):\nreturn super().__new__(cls)", "", "Group()", True),
        (INIT, "", SUB.format("super().__init__()"), "Sub()", False),
        (INIT, "", SUB.format(CALLED), "Sub()", False),
        (INIT, "", SUB.format("for each in range(2): super().__init__()"), "Sub()", True),
        (INIT, "", SUB.format("super().__init__(); super().__init__()"), "Sub()", True),
        (INIT, "", OTHERS.format(CALLED), "One(); Two()", False),
        (INIT, "", f"{OTHERS.format(CALLED)}\n\n{BOTH}", "Both()", True),
        # the method under another name
        (CALLS, SPAWN, "", "group = Group()\nagain = group.spawn\nagain()", True),
        (CALLS, SPAWN, "Group.restart = Group.spawn", "Group().restart()", True),
        (calls("self.spawn()", "self.restart = self.spawn"), SPAWN, "", "group = Group()\ngroup.restart()", True),
        (calls("self.spawn()", "threading.Timer(1, self.spawn).start()"), SPAWN, "", "Group()", True),
        (CALLS, SPAWN, "", "threading.Thread(target=Group().spawn).start()", True),
        (CALLS, SPAWN, "", "getattr(Group(), 'spawn')()", True),
        (calls("other.spawn() if other else None"), SPAWN, "", "one = Group()\nGroup(one)\nGroup(one)", True),
        # another object of the class comes along
        (keeps("self.other = other"), "", "", "Group(Group())", True),
        (keeps("self.other = [other]"), "", "", "Group(Group())", True),
        (keeps("self.other = dict(one=other)"), "", "", "Group(Group())", True),
        (keeps("self.other = other"), "", "", "Group(Group().work)", True),
        (keeps("self.known.append(self); self.other = self.known"), "", "", "Group(); Group()", True),
        (keeps("self.other = self.known; self.known.append(self)"), "", "", "Group(); Group()", True),
        (keeps("self.other = shared; shared.append(self)"), "", "", "Group(); Group()", True),
        (keeps("shared.append(self.work); self.other = shared[0]"), "", "", "Group(); Group()", True),
        (keeps("self.other = Group.last; Group.last = self"), "", "", "Group(); Group()", True),
        (keeps("global LAST\nself.other = LAST; LAST = self"), "", "LAST = None", "Group(); Group()", True),
        (keeps("self.other = default; default.append(self)"), "", "", "Group(); Group()", True),
        (INIT, "def add(self, other):\nother.parent = self", "", "Group().add(Group())", True),
        (sends("other.work"), "", "", "Group(Group())", True),
        (sends("print", "(other,)"), "", "", "Group(Group())", True),
        (sends("print", "(self,)"), "", "", "Group(Group())", False),
        (keeps("self.todo = {'work': self.work}; self.me = self"), "", "", "Group()", False),
        (keeps("self.other = other"), "", "", "Group(Base())", False),
    ],
)
def test_code_that_runs_again_or_sends_another_object(first: str, body: str, below: str, main: str, kept: bool) -> None:
    assert found(first, body, below, main) is kept
