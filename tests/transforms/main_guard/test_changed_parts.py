"""Which part of an object main changes, by whatever name or call, and which part a worker reads."""

from __future__ import annotations

from harness.each_row import each_row
from harness.main_changes import is_reported, program
from harness.small import reported

TOP = "import collections, copy\n"
OBJECTS = """\
class Meter:
    size = 1
    def __init__(self):
        self.total = 0
        self.rows = []
        self.table = {}
    def update(self, value):
        self.total += value
    def get(self):
        return self.total
    def put(self, value):
        self.rows.append(value)
    def entry(self, value):
        self.table[value] = 1
    def drop(self):
        del self.total
    def outer(self, value):
        self.update(value)
    def reset_rows(self):
        self.rows = []
    def show(self):
        print(self.total)
        return self.rows
    def see(self):
        return self.show()
    def __iadd__(self, other):
        self.total = other
        return self
    def __add__(self, value):
        self.total = value
    def __sub__(self, value):
        self.total = value
    def __mul__(self, value):
        self.total = value
    def __rshift__(self, value):
        self.total = value
    def __or__(self, value):
        self.total = value
    def __and__(self, value):
        self.total = value
    def __matmul__(self, value):
        self.total = value
    def __mod__(self, value):
        self.total = value
    def __truediv__(self, value):
        self.total = value
    def __xor__(self, value):
        self.total = value
    def __call__(self, value):
        self.total = value
    def __setitem__(self, key, value):
        self.total = value
    def __enter__(self):
        self.total = 1
    def __exit__(self, *rest):
        pass
meter = Meter()
class Holder:
    def __init__(self, conf, other=None):
        self.conf = conf
        self.other = other
    def set(self):
        self.conf.size = 2
    def read(self):
        return self.conf.size
OBJ = [Meter(), Meter()]
TAB = {"a": Meter(), "b": Meter()}
"""
TABLES = """\
CONF = {"a": 1, "b": 2, "rows": [1], "deep": {"c": 1}}
ROWS = [1, 2]
EMPTY = {}
LIST = []
SEEN = set()
BY = collections.defaultdict(list)
LINE = collections.deque()
COUNT = collections.Counter()
def fill(table, key=1):
    table["a"] = key
def fill_other(key, *, table):
    table["a"] = key
def fill_deep(table):
    fill(table)
def fill_deeper(table):
    fill_deep(table)
def fill_deepest(table):
    fill_deeper(table)
def look(table):
    return table["a"]
def given():
    return CONF
class Filler:
    def __init__(self, conf):
        conf["a"] = 3
"""


def told(read: str, change: str) -> bool:
    is_object = any(name in read for name in ("meter", "OBJ", "TAB"))
    return is_reported(TOP + (OBJECTS if is_object else TABLES), read, change)


@each_row(
    ("read", "changes"),
    [
        (
            "CONF['a']",
            [
                "CONF['a'] = 3",
                "CONF['a'] += 3",
                "del CONF['a']",
                "CONF.update(a=3)",
                "CONF.pop('a')",
                "CONF.setdefault('a', 3)",
                "CONF.clear()",
                "CONF[x] = 3",
                "conf = CONF\nconf['a'] = 3",
                "fill(CONF)",
                "fill(table=CONF)",
                "fill_other(3, table=CONF)",
                "fill_deep(CONF)",
                "given()['a'] = 3",
                "given().update(a=3)",
                "conf = given()\nconf['a'] = 3",
                "Filler(CONF)",
            ],
        ),
        (
            "CONF['deep']['c']",
            [
                "CONF['deep']['c'] = 3",
                "CONF['deep'].update(c=3)",
                "deep = CONF['deep']\ndeep['c'] = 3",
                "CONF['deep'] = {}",
            ],
        ),
        ("CONF.get('a')", ["CONF['a'] = 3"]),
        ("CONF.items()", ["CONF['a'] = 3"]),
        ("CONF.values()", ["CONF['a'] = 3"]),
        ("CONF.copy()", ["CONF['a'] = 3"]),
        ("len(CONF)", ["CONF['z'] = 3", "CONF.pop('a')"]),
        ("[k for k in CONF]", ["CONF['z'] = 3"]),
        ("'z' in CONF", ["CONF['z'] = 3"]),
        (
            "len(ROWS)",
            [
                "ROWS.append(3)",
                "ROWS.insert(0, 3)",
                "ROWS.extend([3])",
                "ROWS.remove(1)",
                "ROWS.pop()",
                "ROWS.sort()",
                "ROWS.reverse()",
                "ROWS.clear()",
                "ROWS[0] = 3",
                "del ROWS[0]",
                "ROWS[:] = []",
            ],
        ),
        ("len(LINE)", ["LINE.append(3)", "LINE.appendleft(3)", "LINE.popleft()", "LINE.rotate(1)"]),
        ("COUNT['a']", ["COUNT['a'] += 1", "COUNT.update('a')", "COUNT.subtract('a')"]),
        ("len(SEEN)", ["SEEN.add(1)", "SEEN.discard(1)"]),
        ("BY['a']", ["BY['a'].append(1)", "BY['a'] = 1"]),
        (
            "meter.total",
            [
                "meter.update(3)",
                "meter.total = 3",
                "meter.drop()",
                "meter.outer(3)",
                "setattr(meter, 'total', 3)",
                "delattr(meter, 'total')",
                "vars(meter)['total'] = 3",
                "vars(meter).update(total=3)",
                "meter.__dict__.update(total=3)",
                "meter.__dict__['total'] = 3",
                "setattr(meter, x, 3)",
                "meter + 3",
                "meter - 3",
                "meter * 3",
                "meter >> 3",
                "meter | 3",
                "meter & 3",
                "meter @ 3",
                "meter % 3",
                "meter / 3",
                "meter(3)",
                "meter['a'] = 3",
                "m = meter\nm.update(3)",
            ],
        ),
        ("meter.get()", ["meter.update(3)"]),
        ("meter.show()", ["meter.update(3)", "meter.put(3)", "meter.reset_rows()"]),
        ("meter.see()", ["meter.update(3)", "meter.put(3)"]),
        ("meter.table", ["meter.entry(3)", "meter.table['a'] = 3", "meter.table.update(a=3)"]),
        ("meter.size", ["meter.size = 3", "Holder(meter).set()"]),
        (
            "OBJ[0].total",
            [
                "rows = list(OBJ)\nrows[0].total = 3",
                "rows = sorted(OBJ)\nrows[0].update(3)",
                "rows = list(OBJ)\nfor row in rows: row.total = 3",
                "for row in list(OBJ): row.update(3)",
                "for i, row in enumerate(OBJ): row.update(3)",
                "first = next(iter(OBJ))\nfirst.total = 3",
                "one = max(OBJ)\none.update(3)",
                "first = list(OBJ)[0]\nfirst.total = 3",
                "[a.update(3) for a in OBJ]",
                "a = OBJ[0]\na.total = 3",
                "for a, b in zip(OBJ, x): a.total = 3",
                "for a in reversed(OBJ): a.total = 3",
                "for a in filter(None, OBJ): a.total = 3",
            ],
        ),
        (
            "TAB['a'].total",
            [
                "for m in TAB.values(): m.total = 3",
                "for k, m in TAB.items(): m.total = 3",
                "m = TAB.get('a')\nm.total = 3",
                "m = TAB.setdefault('a', 3)\nm.update(3)",
                "m = TAB['a']\nm.update(3)",
                "m, n = TAB['a'], 3\nm.total = 3",
                "for m in [*TAB.values()]: m.total = 3",
                "for m in (TAB['a'], 3): m.total = 3",
            ],
        ),
    ],
)
def test_changes_of_what_is_read(read: str, changes: list[str]) -> None:
    assert [change for change in changes if not told(read, change)] == []


@each_row(
    ("read", "changes"),
    [
        (
            "CONF['a']",
            [
                "CONF['b'] = 3",
                "CONF['rows'].append(3)",
                "print(CONF['a'])",
                "CONF.get('a')",
                "CONF.copy()",
                "print(CONF)",
                "look(CONF)",
                "fill(3, CONF)",
                "fill(dict(CONF))",
                "CONF == 3",
                "first, second = [CONF]",  # it would stop here
                "conf = CONF\nprint(conf)",
                "conf = given()\nprint(conf)",
                "given().get('a')",
                "given()['b']",
                "CONF = {}\nCONF['a'] = 3",
                "setdefault('a', 3)",
            ],
        ),
        ("CONF.get('b')", ["CONF['a'] = 3"]),
        (
            "len(ROWS)",
            [
                "ROWS.index(1)",
                "ROWS.count(1)",
                "ROWS + [3]",
                "sorted(ROWS)",
                "rows = ROWS + [3]\nrows.append(3)",
                "rows = list(ROWS)\nrows.append(3)",
                "rows = copy.copy(ROWS)\nrows.append(3)",
            ],
        ),
        (
            "meter.total",
            [
                "meter.get()",
                "meter.put(3)",
                "meter.reset_rows()",
                "meter.rows = []",
                "setattr(meter, 'rows', 3)",
                "print(meter.total)",
                "3 + meter",
                "print(vars(meter))",
                "vars(meter)['total']",
                "vars(meter).get('total')",
                "meter.entry(3)",
                "print(meter.update)",
                "with open(meter):\n    pass",
                "print(meter)",
            ],
        ),
        ("meter.get()", ["meter.put(3)"]),
        ("meter.see()", ["meter.entry(3)"]),
        ("meter.table", ["meter.update(3)"]),
        ("meter.size", ["Holder(None, meter).set()"]),
        (
            "len(OBJ)",
            [
                "rows = list(OBJ)\nrows.append(3)",
                "rows = sorted(OBJ)\nrows.sort()",
                "rows = list(OBJ)\nrows[0] = 3",
                "rows = list(OBJ)\ndel rows[0]",
                "rows = list(OBJ)\nrows[0] += 3",
                "rows = tuple(OBJ)\nrows += (3,)",
                "for row in list(OBJ): print(row)",
                "for row in OBJ: row = 3",
                "rows = list(OBJ)[1:]\nrows.append(3)",
                "rows = set(OBJ)\nrows.add(3)",
            ],
        ),
        (
            "TAB['a'].total",
            [
                "for m in TAB.values(): print(m.total)",
                "for m in TAB.keys(): m.total = 3",
                "m = TAB.pop\nm.total = 3",
                "m, n = 3, TAB['a']\nm.total = 3",
                "def f(m):\n    m.total = 3\nfor m in TAB.values(): print(m)",
            ],
        ),
    ],
)
def test_changes_of_something_else(read: str, changes: list[str]) -> None:
    assert [change for change in changes if told(read, change)] == []


def test_several_objects_that_one_function_changes() -> None:
    made = "A, B, C = {}, {}, {}\nX = [1]\nY = [2]\nZ = [3]\ndef change():\n    X.append(1)\n    Y.append(2)\n"
    found = reported({"train.py": program(made, "len(X) + len(Y) + len(Z)", "change()")}, "main-guard")
    assert [each.message.partition("reads `")[2][0] for each in found] == ["X", "Y"]


@each_row(
    ("method", "found"),
    [
        *((name, True) for name in ("values", "items", "get", "setdefault", "children", "modules", "parameters")),
        *((name, True) for name in ("named_parameters", "buffers")),
        ("others", False),
    ],
)
def test_parts_that_a_method_gives(method: str, found: bool) -> None:
    assert told("CONF['rows']", f"for part in CONF.{method}():\n    part.clear()") is found


@each_row(
    ("name", "copies", "gives"),
    [
        *((name, True, True) for name in ("list", "tuple", "reversed", "enumerate", "zip", "sorted", "iter")),
        *((name, True, True) for name in ("filter", "chain")),
        *((name, False, True) for name in ("next", "min", "max")),
        ("other", False, False),
    ],
)
def test_elements_that_a_function_gives(name: str, copies: bool, gives: bool) -> None:
    assert told("CONF['rows']", f"for part in {name}(CONF.values()):\n    part.clear()") is gives
    assert told("CONF['rows']", f"part = {name}(CONF.values())\npart[0].clear()") is gives
    assert told("CONF['rows']", f"part = {name}(CONF.values())\npart.clear()") is (gives and not copies)
