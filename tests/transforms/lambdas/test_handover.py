"""What a function that reads `self` gets when it moves out of a class whose objects can't be sent whole."""

from __future__ import annotations

import re

from harness.each_row import each_row
from harness.hoisting import hoisted

LOCK = "a lock `self.lock`"  # what every object holds: no method may carry it along
CARRY = f"a method would carry the whole `self` along with {LOCK}: pass what it needs as arguments"
PLAIN = "`self.size` is not a plain attribute set in `__init__`"
INIT = "def __init__(self, size):\n    self.size = size\n"
OPTIONS = "def __init__(self, **options):\n    for key, value in options.items():\n        setattr(self, key, value)"


def program(body: str = "", above: str = "", use: str = "x + self.size", takes: str = "x", base: str = "") -> str:
    """A class whose `build` makes a function that reads `self`. `above`: what `build` does before that."""
    imports = "from base import Base\n\n\n" if base else ""
    maker = f"\ndef build(self):\n{_indented(above)}    return self.map(lambda {takes}: {use})\n"
    return f"{imports}class Rows{'(Base)' if base else ''}:\n{_indented(body + maker)}"


def _indented(text: str) -> str:
    return "".join(f"    {line}".rstrip() + "\n" for line in text.splitlines())


def stays(reason: str) -> str:
    """What is said of an attribute that can't be passed."""
    if not re.search("is set (again|later)", reason):
        return f"{CARRY} ({reason})"
    alone = CARRY.removesuffix(": pass what it needs as arguments")
    return f"{alone}, and {reason}: keep that in an object of its own, and pass the object"


def outcome(text: str, others: dict[str, str] | None = None, burdens: tuple[str, ...] = (LOCK,)) -> str:
    """ "" where the function moves and gets `self.size`, else why it stays."""
    after, reasons = hoisted(text, burdens, others)
    if after != text:
        assert after.endswith("return self.map(functools.partial(_build_map, self.size))\n"), after
        assert not reasons
        return ""
    return reasons[0]


@each_row(
    "body, reason",
    [
        (INIT, ""),
        ("def __init__(self, size):\n    self.size: int = size\n", ""),
        ("def __init__(self, size):\n    self.size, self.other = size\n", ""),
        ("def __init__(self, size):\n    if size:\n        self.size = size\n    else:\n        self.size = 1\n", ""),
        ("size = 3\n", ""),
        ("size = -3\n", ""),
        ("size = 3\nsize = 4\n", ""),
        ("size = (3, 4)\n", ""),
        (f"{INIT}\ndef grow(self):\n    self.size = 3\n", "`self.size` is set again at line 6"),
        (f"{INIT}\ndef grow(self):\n    del self.size\n", "`self.size` is set again at line 6"),
        (f"{INIT}\ndef grow(self, n):\n    self.size += n\n", "`self.size` is set again at line 6"),
        (f"{INIT}\ndef put(self, name):\n    setattr(self, name, 3)\n", "`self.size` is set again in train.py"),
        ("def grow(self):\n    self.size = 3\n", "`self.size` is set later than in `__init__`, at line 3"),
        ("def __init__(self, n):\n    self.size = 1\n    self.size += n\n", "`self.size` is set again at line 4"),
        (
            "def __init__(self, n):\n    if n:\n        self.size = n\n        self.size = 1\n",
            "`self.size` is set again",
        ),
        (
            "def __init__(self, n):\n    if n:\n        self.size = n\n    if not n:\n        self.size = 1\n",
            "`self.size` is set again",
        ),
        (
            "def __init__(self, many):\n    for n in many:\n        self.size = n\n",
            "`self.size` is set again at line 4",
        ),
        (
            "def __init__(self, many):\n    for self.size in many:\n        pass\n",
            "`self.size` is set again at line 3",
        ),
        ("def __init__(self, n):\n    self.size = n\n    self.build()\n", ""),
        (
            "def __init__(self, n):\n    if n:\n        self.size = n\n",
            "`self.size` is set under a condition only, at line 4",
        ),
        ("def __init__(self, n):\n    if n:\n        self.size = n\n    else:\n        raise ValueError(n)\n", ""),
        (
            "def __init__(self, n):\n    if n:\n        self.build()\n        self.size = n\n",
            "`self.size` is set again at line 5",
        ),
        ("def __init__(self, n):\n    self.build()\n    self.size = n\n", "`self.size` is set again at line 4"),
        ("size = -N\n", PLAIN),
        ("size = (3, N)\n", PLAIN),
        ("size = [3]\n", PLAIN),
        ("size = 3\nsize += 1\n", PLAIN),
        ("for size in (3, 4):\n    pass\n", PLAIN),
        ("@property\ndef size(self):\n    return 3\n", PLAIN),
        ("", PLAIN),
    ],
)
def test_an_attribute_is_passed_that_is_set_once_before_the_function_is_made(body: str, reason: str) -> None:
    assert outcome(program(body)) == (stays(reason) if reason else "")


def test_a_method_that_it_uses_is_named() -> None:
    uses = "And it uses the method `size` (line 2): make that a function as well, and pass both what they need"
    alone = CARRY.removesuffix(": pass what it needs as arguments")
    assert outcome(program("def size(self):\n    return 3\n")) == f"{alone}. {uses}"


@each_row(
    "body, above, reason",
    [
        ("", "self.size = 2\n", ""),
        ("def __init__(self):\n    self.size = 1\n", "self.size = 2\n", ""),
        ("", "if self.fast:\n    self.size = 2\nelse:\n    self.size = 3\n", ""),
        ("", "if self.fast:\n    self.size = 2\n", "`self.size` is set later than in `__init__`, at line 5"),
        ("def grow(self):\n    self.size = 3\n", "self.size = 2\n", "is set later than in `__init__`, at line 3"),
        ("def __init__(self):\n    self.size = 1\n    self.build()\n", "self.size = 2\n", "is set again at line 7"),
    ],
)
def test_the_method_that_makes_the_function_may_set_it_first(body: str, above: str, reason: str) -> None:
    found = outcome(program(body, above))
    assert (found == "") == (reason == "") and reason in found


@each_row(
    "use, takes, reason",
    [
        ("self.size(x)", "x", ""),
        ("size + self.size", "size", f"{CARRY} (`size` means something else in it)"),
        ("go(self, x)", "x", CARRY),
        ("self.__size", "x", f"{CARRY} (`__size` means something else in it)"),
        ("setattr(self, 'size', x)", "x", CARRY),
    ],
)
def test_nothing_but_reading_attributes_can_be_passed(use: str, takes: str, reason: str) -> None:
    body = INIT.replace("self.size", "self.__size") if "__" in use else INIT
    assert outcome(program(body, use=use, takes=takes)) == reason


@each_row(
    "other, found",
    [
        ("def f(rows):\n    rows.size = 3\n", "o.py:2"),
        ("def f(rows):\n    rows.size: int = 3\n", "o.py:2"),
        *(
            (f"def f(rows):\n    rows.size {sign}= 3\n", "o.py:2")
            for sign in ("+", "-", "*", "/", "//", "**", "%", "|")
        ),
        ("from train import Rows\nclass More(Rows):\n    def f(self):\n        self.size = 3\n", "o.py:4"),
        ("def f(rows):\n    setattr(rows, 'size', 3)\n", "o.py"),
        ("# rows.size = 3\ndef f(:\n", "o.py"),  # nobody can tell what it does
        ("def f(rows):\n    return rows.size == 3\n", ""),
        ("# rows.size = 3\n", ""),
        ("def f(rows):\n    setattr(rows, 'width', 3)\n", ""),
        ("class Other:\n    def f(self):\n        self.size = 3\n", ""),
    ],
)
def test_another_file_may_set_it(other: str, found: str) -> None:
    expected = stays(f"`self.size` is set again in {found}") if found else ""
    assert outcome(program(INIT), {"o.py": other}) == expected


@each_row(
    "other, moves",
    [
        ("from train import Rows\nclass More(Rows):\n    def size(self):\n        return 1\n", False),
        ("class Other:\n    def size(self):\n        return 1\n", True),
    ],
)
def test_a_constant_of_the_class_may_be_a_method_of_a_derived_one(other: str, moves: bool) -> None:
    assert outcome(program("size = 3\n"), {"o.py": other}) == ("" if moves else f"{CARRY} ({PLAIN})")


@each_row(
    "base, body, use, reason",
    [
        ("size = 3", "", "x + self.size", ""),
        (INIT, "", "x + self.size", ""),
        (INIT, "def __init__(self, n):\n    super().__init__(n)\n    self.more = 1\n", "x + self.size", ""),
        (f"{INIT}\ndef f(self):\n    self.size = 3", "", "x + self.size", "`self.size` is set again in base.py:6"),
        ("def __init__(self, n):\n    self.build()\n    self.size = n", "", "x + self.size", PLAIN),
        (OPTIONS, "", "x + self.size", ""),
        (OPTIONS, "", "1 if self.size else 0", ""),
        (OPTIONS, "", "self.size or x", ""),
        # an object may lack the attribute, which nobody notices until the function is called in this way
        (OPTIONS, "", "self.size if x else 0", PLAIN),
        (OPTIONS, "", "x or self.size", PLAIN),
        (OPTIONS, "", "[self.size for y in x]", PLAIN),
        (OPTIONS, "", "[self.size for y in x if y]", PLAIN),
        (OPTIONS.replace("    for", "    self.build()\n    for"), "", "x + self.size", PLAIN),
        ("def __init__(self, **options):\n    setattr(self, 'width', 3)", "", "x + self.size", PLAIN),
        ("def __init__(self, other, key):\n    setattr(other, key, 3)", "", "x + self.size", PLAIN),
    ],
)
def test_a_base_class_in_another_file_may_set_it(base: str, body: str, use: str, reason: str) -> None:
    others = {"base.py": f"class Base:\n{_indented(base)}"}
    assert outcome(program(body, use=use, base="Base"), others) == (stays(reason) if reason else "")


@each_row("name", ["__getattr__", "__getattribute__", "__reduce__", "__reduce_ex__"])
def test_no_method_where_the_class_says_what_pickle_gets(name: str) -> None:
    found = outcome(program(f"def {name}(self, other):\n    return 1\n", use="self.go(x)"), burdens=())
    assert f"and `Rows` defines `{name}`: pass what it needs as arguments" in found


@each_row(
    "burdens, words",
    [
        (("a `self.a`",), "with a `self.a`"),
        (("a `self.a`", "a `self.b`", "a `self.c`"), "with a `self.a`, a `self.b`, a `self.c`"),
        (("a `self.a`", "a `self.b`", "a `self.c`", "a `self.d`"), "with a `self.a`, a `self.b` and 2 more"),
    ],
)
def test_what_a_method_would_carry_is_named(burdens: tuple[str, ...], words: str) -> None:
    found = outcome(program(use="self.go(x)"), burdens=burdens)
    assert found.startswith(f"a method would carry the whole `self` along {words}: pass what it needs as arguments (")


@each_row(
    "body, words",
    [
        ("def __init__(self):\n    self.plain = np\n", "a module `self.plain` (train.py:5)"),
        ("def __init__(self):\n    self.rows, self.plain = 1, 2\n", ""),
        ("def __init__(self):\n    self.plain = datasets.load_dataset('x')\n", "a dataset `self.plain` (train.py:5)"),
        ("def __init__(self, given):\n    self.train_dataset = given\n", "`self.train_dataset` (train.py:5)"),
        ("def __init__(self, given):\n    self._datasets = given\n", "`self._datasets` (train.py:5)"),
        ("def __init__(self, given):\n    self.dataloader, self.a = given\n", "`self.dataloader` (train.py:5)"),
        ("def __init__(self, given):\n    self.dataset = None\n", ""),
    ],
)
def test_modules_and_datasets_on_the_object_are_a_burden(body: str, words: str) -> None:
    text = "import numpy as np, datasets\n\n" + program(body, use="self.go(x)")
    after, reasons = hoisted(text)
    assert (after == text) == bool(words) == bool(reasons)
    assert not words or f"along with {words}: pass" in reasons[0]


SET, MADE = "self.size = size", "keep(lambda x: x + self.size)"
GIVEN = "functools.partial(_rows_keep, self.size)"


@each_row(
    ("body", "moves"),
    [
        (f"if size:\n    {SET}\n    {MADE}", True),
        (f"if size:\n    with open(size) as f:\n        self.size = f.read()\n    {MADE}", True),
        (f"with open(size) as f:\n    self.size = f.read()\n{MADE}", True),
        (f"if size:\n    {SET}\n    if size > 1:\n        {MADE}", True),
        (f"if size:\n    pass\nelse:\n    {SET}\n    {MADE}", True),
        (f"for n in [1, 2]:\n    if size:\n        {SET}\n        {MADE}", False),
        (f"if size:\n    {SET}\nelse:\n    {MADE}", False),
        (f"if size:\n    {MADE}\n    {SET}", False),
        (f"if size:\n    for n in [1, 2]:\n        {SET}\n    {MADE}", False),
        (f"if size:\n    try:\n        {SET}\n    finally:\n        pass\n    {MADE}", False),
        (f"with contextlib.suppress(ValueError):\n    self.size = int(size)\n{MADE}", False),
        (f"with contextlib.suppress(ValueError):\n    self.size = int(size)\n    {MADE}", True),
        (f"with open(size) as f, quiet():\n    self.size = f.read()\n{MADE}", False),
        (f"with self.lock:\n    {SET}\n{MADE}", False),
        (f"if size:\n    with quiet():\n        {SET}\n    {MADE}", False),
        (f"if size:\n    if size > 1:\n        {SET}\n    {MADE}", False),
        (f"if size:\n    {SET}\n{MADE}", False),
        (f"if size:\n    {SET}\nelse:\n    return\n{MADE}", True),
        (f"with no_grad():\n    {SET}\n{MADE}", True),
        (f"with gzip.open(size) as f:\n    self.size = f.read()\n{MADE}", False),
    ],
)
def test_set_in_the_block_that_makes_the_function(body: str, moves: bool) -> None:
    """What `__init__` sets further up in the same block has its value when the function is made."""
    imports = "import contextlib\nfrom torch import no_grad\nfrom mine import gzip, quiet\n\n\n"
    text = f"{imports}class Rows:\n    def __init__(self, size):\n{_indented(_indented(body))}"
    after, reasons = hoisted(text, (LOCK,), None)
    assert (GIVEN in after) is moves
    assert moves or "`self.size` is set " in reasons[0]
