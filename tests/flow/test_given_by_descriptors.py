"""What an attribute is whose class has a descriptor in its place: what the `__get__` of that gives."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import reported

PROGRAM = """\
from multiprocessing import Process


class Given:
    def __init__(self, value):
        self.value = value

    def __get__(self, obj, owner=None):
        if obj is None:
            return self
        return {given}


class Keeper:
    kept = Given(lambda x: x + 1)

    def __init__(self):
        self.own = self.kept

    def work(self):
        print(self.own)


if __name__ == "__main__":
    Process(target=Keeper().work).start()
"""


def _confidences(given: str) -> list[str]:
    program = PROGRAM.format(given=given)
    return [found.confidence.value for found in reported({"run.py": program}, "lambdas")]


@each_row("given", ["3", "self.value(3)", "len(vars(obj))", "type(self).__name__"])
def test_it_gives_something_else(given: str) -> None:
    assert _confidences(given) == []


@each_row(
    "given",
    ["self.value", "getattr(self, 'value')", "(self.value, 1)", "lambda: 3", "self"],
)
def test_it_gives_what_it_has(given: str) -> None:
    assert "proven" in _confidences(given)


def test_a_helper_gives_what_it_got() -> None:
    program = PROGRAM.format(given="self.value").replace("__get__(self, obj, owner=None)", "get(self, obj=1)")
    (found,) = reported({"run.py": program.replace("self.kept", "self.kept.get()")}, "lambdas")
    assert found.confidence.value == "proven"


TWO = """\
from multiprocessing import Pool


class Given:
    def __init__(self, value):
        self.value = value

    def get(self):
        return self.value


class Stays:
    def __init__(self):
        self.own = Given(lambda x: x + 1).get()

    def __call__(self, x):
        return self.own(x)


class Sent:
    def __init__(self):
        self.own = Given(abs).get()

    def __call__(self, x):
        return self.own(x)


if __name__ == "__main__":
    print(Stays()(1))
    print(Pool(2).map(Sent(), [1]))
"""


def test_a_helper_gives_each_what_that_got() -> None:
    assert reported({"run.py": TWO}, "lambdas") == []
    assert reported({"run.py": TWO.replace("Given(abs)", "Given(lambda x: x)")}, "lambdas")


def test_a_helper_gives_each_what_that_got_where_a_bound_method_is_sent() -> None:
    program = TWO.replace("__call__", "work").replace("Stays()(1)", "Stays().work(1)").replace("Sent()", "Sent().work")
    assert reported({"run.py": program}, "lambdas") == []
    assert reported({"run.py": program.replace("Given(abs)", "Given(lambda x: x)")}, "lambdas")
    assert reported({"run.py": program.replace("map(Sent()", "map(Stays()")}, "lambdas")
