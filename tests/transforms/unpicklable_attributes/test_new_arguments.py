"""Objects whose `__new__` needs arguments, which pickle does not pass."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import reported

TEXT = """\
from multiprocessing import Process


class Other:
    {base}


class Job({derives}):
    def __new__({parameters}):
        return super().__new__(cls)

    {more}

    def run(self):
        print(3)


if __name__ == "__main__":
    Process(target=Job({given}).run).start()
"""
PLAIN = "size = 3"


@each_row(
    ("parameters", "base", "derives", "more", "found"),
    [
        ("cls, size", PLAIN, "", PLAIN, "`size`"),
        ("cls, size, /, scale", PLAIN, "Other", PLAIN, "`size`, `scale`"),
        ("cls, size=3, *, scale", PLAIN, "object", PLAIN, "`scale`"),
        ("cls, size=3", PLAIN, "", PLAIN, ""),
        ("cls, *sizes", PLAIN, "", PLAIN, ""),
        ("cls, size", PLAIN, "", "def __getnewargs__(self): return (3,)", ""),
        ("cls, size", PLAIN, "", "def __reduce__(self): return Job, (3,)", ""),
        ("cls, size", "def __getnewargs_ex__(self): return (3,), {}", "Other", PLAIN, ""),
        ("cls, size", PLAIN, "str", PLAIN, ""),
    ],
)
def test_what_new_needs(parameters: str, base: str, derives: str, more: str, found: str) -> None:
    text = TEXT.format(parameters=parameters, base=base, derives=derives, more=more, given="3, scale=4")
    findings = reported({"a.py": text}, "unpicklable-attributes")
    assert [each.message.partition(" must be given ")[2].partition(", and")[0] for each in findings] == (
        [found] if found else []
    )
    assert all("`__getnewargs__` of the class" in (each.reason or "") for each in findings)


def test_objects_that_stay_are_left_alone() -> None:
    text = TEXT.format(parameters="cls, size", base=PLAIN, derives="", more=PLAIN, given="3")
    assert reported({"a.py": text.partition("    Process(")[0] + "    Job(3).run()\n"}, "unpicklable-attributes") == []
