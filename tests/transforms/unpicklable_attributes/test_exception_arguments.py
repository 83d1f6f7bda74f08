"""Exceptions that pickle makes anew with what `super().__init__` got."""

from __future__ import annotations

import copy

from harness.each_row import each_row
from harness.small import reported

TEXT = """\
from multiprocessing import Process


class Plain({derives}):
    pass


class Bad(Plain):
    def __init__({parameters}):
        {call}
        self.row = row

    {more}


def show(errors):
    print([str(each) for each in errors])


def load(row):
    raise Bad({given})


def main():
    errors = []
    try:
        load(3)
    except Bad as error:
        errors.append(error)
    Process(target=show, args=(errors,)).start()


if __name__ == "__main__":
    main()
"""
SIZE = "size = 3"
STOPS, OTHER = "a worker process stops with `TypeError`", "the copy says something else"


@each_row(
    ("parameters", "given", "derives", "call", "more", "found"),
    [
        ("self, row, why", "3, 'a'", "Exception", "super().__init__(f'{row}: {why}')", SIZE, STOPS),
        ("self, row, why", "3, 'a'", "ValueError", "Exception.__init__(self, why)", SIZE, STOPS),
        ("self, row, *, why", "3, why='a'", "Exception", "super().__init__(row)", SIZE, STOPS),
        ("self, row, why", "3, 'a'", "Exception", "super().__init__()", SIZE, STOPS),
        ("self, row", "3", "RuntimeError", "super().__init__(f'row {row}')", SIZE, OTHER),
        ("self, row, why='a'", "3", "Exception", "super().__init__(f'{row}: {why}')", SIZE, OTHER),
        ("self, row, why", "3, 'a'", "Exception", "super().__init__(row, why)", SIZE, ""),
        ("self, row", "3", "Exception", "super().__init__(str(row))", SIZE, ""),
        ("self, row", "3", "Exception", "super().__init__('fixed')", SIZE, ""),
        ("self, row", "3", "Exception", "self.text = row; super().__init__(self.text)", SIZE, ""),
        ("self, row", "3", "Exception", "super().__init__('row ' + str(row))", SIZE, OTHER),
        ("self, row", "3", "Exception", "super().__init__('row {}'.format(row))", SIZE, OTHER),
        ("self, row, why='a'", "3", "Exception", "super().__init__(row)", SIZE, ""),
        ("self, row, why", "3, 'a'", "Exception", "pass", SIZE, ""),
        ("self, row, why", "3, 'a'", "Exception", "super().__init__(*[row, why])", SIZE, ""),
        ("self, row, why", "3, 'a'", "Exception", "super().__init__(why); self.args = row, why", SIZE, ""),
        ("self, row", "3", "Exception", "super().__init__(f'row {row}')",
         "def __reduce__(self): return Bad, (self.row,)", ""),
    ],
)  # fmt: skip
def test_what_the_copy_is_made_with(
    parameters: str, given: str, derives: str, call: str, more: str, found: str
) -> None:
    text = TEXT.format(parameters=parameters, given=given, derives=derives, call=call, more=more)
    findings = reported({"a.py": text}, "unpicklable-attributes")
    assert [each.message.rpartition(": ")[2] for each in findings] == ([found] if found else [])
    assert all("`__reduce__` of the class" in (each.reason or "") for each in findings)
    namespace: dict[str, object] = {"__name__": "a"}
    exec(text, namespace)  # what Python does with a copy of it
    made: Exception = eval(f"Bad({given})", namespace)
    try:
        same = str(copy.copy(made)) == str(made)
    except TypeError:
        assert found == STOPS
    else:
        assert same is (found == "")


def test_those_that_stay_are_left_alone() -> None:
    text = TEXT.format(
        parameters="self, row, why", given="3, 'a'", derives="Exception", call="super().__init__(why)", more=SIZE
    )
    stays = text.replace("Process(target=show, args=(errors,)).start()", "show(errors)")
    assert reported({"a.py": stays}, "unpicklable-attributes") == []
