"""Tables that decorators and other functions fill in the main process only: a spawned worker finds them empty."""

from __future__ import annotations

from harness.each_row import each_row
from harness.main_changes import is_reported, program
from harness.small import reported

BY_NAME = "T = {}\ndef register(name):\n    def wrap(f):\n        T[name] = f\n        return f\n    return wrap\n"
PLAIN = "T = {}\ndef register(f):\n    T[f.__name__] = f\n    return f\n"
LISTED = "T = []\ndef register(f):\n    T.append(f)\n    return f\n"
OF_CLASS = (
    "class R:\n    t={}\n    @classmethod\n    def register(cls, f):\n        cls.t[f.__name__] = f\n        return f"
)
GIVEN = "T = {}\ndef register(name, f):\n    T[name] = f\n"
HOOK = "T = {}\nclass Base:\n    def __init_subclass__(cls):\n        T[cls.__name__] = cls\n"
META = (
    "T = {}\nclass Meta(type):\n    def __new__(mcls, name, bases, body):\n"
    "        cls = super().__new__(mcls, name, bases, body)\n        T[name] = cls\n        return cls\n"
    "class Base(metaclass=Meta):\n    pass\n"
)
META_INIT = (
    "import abc\nT = []\nclass Meta(abc.ABCMeta):\n    def __init__(cls, name, bases, body):\n"
    "        T.append(cls)\nclass Base(metaclass=Meta):\n    pass\n"
)
METACLASSES = ("type", "ABCMeta", "enum.EnumMeta", "enum.EnumType")
FUNCTION = "def a(x):\n    return x"
TABLE = "class Reg:\n    rows = []\n    size = 1\n"


@each_row(
    ("table", "read", "fill"),
    [
        (BY_NAME, "T.get('a')", f"@register('a')\n{FUNCTION}"),
        (BY_NAME, "sorted(T)", f"@register('a')\n{FUNCTION}"),
        (PLAIN, "'a' in T", f"@register\n{FUNCTION}"),
        (LISTED, "len(T)", f"@register\n{FUNCTION}"),
        (OF_CLASS, "sorted(R.t)", f"@R.register\n{FUNCTION}"),
        (GIVEN, "T.get('a')", "register('a', lambda x: x)"),
        (GIVEN, "T.get('a')", "register('a', work)"),
        (HOOK, "sorted(T)", "class A(Base):\n    pass"),
        (META, "sorted(T)", "class A(Base):\n    pass"),
        (META, "sorted(T)", "class A(metaclass=Meta):\n    pass"),
        (META_INIT, "len(T)", "class A(Base):\n    pass"),
        *((META_INIT.replace("abc.ABCMeta", name), "len(T)", "class A(Base): pass") for name in METACLASSES),
        (TABLE, "len(Reg.rows)", "Reg.rows.append(1)"),
        (TABLE, "Reg.size", "setattr(Reg, 'size', 3)"),
    ],
)
def test_filled_in_the_main_process(table: str, read: str, fill: str) -> None:
    assert is_reported(table, read, fill)


@each_row(
    ("table", "read", "fill", "after"),
    [
        (BY_NAME, "T.get('a')", "pass", f"@register('a')\n{FUNCTION}"),
        (PLAIN, "'a' in T", "pass", f"@register\n{FUNCTION}"),
        (HOOK, "sorted(T)", "pass", "class A(Base):\n    pass"),
        (META, "sorted(T)", "pass", "class A(Base):\n    pass"),
        (META, "sorted(T)", "class A:\n    pass", ""),
        (PLAIN, "x", f"@register\n{FUNCTION}", ""),
        (GIVEN, "T.get(x)", "register(3, 4)", ""),  # may be a cache
        (TABLE, "len(Reg.rows)", "Reg.size", ""),
        (TABLE, "Reg.rows.append(x)", "Reg.rows.append(1)", ""),  # by each process for itself
    ],
)
def test_look_alikes(table: str, read: str, fill: str, after: str) -> None:
    assert not is_reported(table, read, fill, after)


INSTALLS = """\
def install(register):
    @register("a")
    def a(x):
        return x


def install_plain(register):
    @register
    def a(x):
        return x


def install_by_call(register):
    register("a", install)


def install_nothing(register):
    register("a", 3)
"""


@each_row(
    ("table", "install", "at_top", "found"),
    [
        (BY_NAME, "install", False, True),
        (PLAIN, "install_plain", False, True),
        (GIVEN, "install_by_call", False, True),
        (BY_NAME, "install", True, False),  # workers import that too
        (GIVEN, "install_nothing", False, False),
    ],
)
def test_a_function_that_is_given_what_registers(table: str, install: str, at_top: bool, found: bool) -> None:
    fill = f"plugin.{install}(register)"
    after = f"import plugin\n{fill if at_top else ''}\n"
    text = program(table, "T.get(x)", "pass" if at_top else fill, after=after)
    reports = reported({"plugin.py": INSTALLS, "train.py": text}, "main-guard")
    assert [each.trace[0].path for each in reports] == ["plugin.py"] * found
