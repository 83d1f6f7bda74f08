# ruff: noqa: E501  (programs on one line read best whole)
"""The `dict-views` rule: what it leaves alone, what it wraps, what it refuses and what it calls unsafe."""

from __future__ import annotations

from textwrap import dedent

import pytest

from codemods.finding import Confidence, Finding
from codemods.project import Project
from codemods.transforms.dict_views import RULE
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row

CLASS = """\
class Config:
    def __init__(self, table: dict):
        self.table = table
        self.names = self.table.keys()
"""


def found(*files: str) -> list[Finding]:
    """Findings in `a.py`, `b.py`..."""
    contents = {f"{name}.py": dedent(text).encode() for name, text in zip("abcd", files, strict=False)}
    return sorted(RULE.find(Project(MemoryFiles(contents))), key=lambda finding: finding.sort_key)


def reported(*files: str) -> list[Finding]:
    """What a run reports by default."""
    return [finding for finding in found(*files) if finding.confidence.reaches(Confidence.LIKELY)]


def rewritten(text: str, *more: str) -> str:
    """`a.py` after the safe fixes."""
    text = dedent(text)
    findings = [finding for finding in found(text, *more) if finding.path == "a.py"]
    assert findings and all(finding.fix and not finding.fix.unsafe for finding in findings), findings
    source = Project(MemoryFiles({"a.py": text.encode()})).source("a.py")
    assert source is not None
    edits = dict.fromkeys(edit for finding in findings if finding.fix for edit in finding.fix.edits)
    return source.apply(edits)


def only(findings: list[Finding]) -> Finding:
    assert len(findings) == 1, findings
    return findings[0]


@each_row(
    "text",
    [
        pytest.param("names = table.keys()\nprint(list(names))", id="module level name"),
        pytest.param("def f(t):\n    names = t.keys()\n    return len(names)", id="local name"),
        pytest.param("def f(t):\n    return t.keys()", id="returned"),
        pytest.param("def f(t):\n    for k in t.keys():\n        print(k)", id="loop"),
        pytest.param("class A:\n    def __init__(self, t):\n        self.n = len(t.keys())", id="argument"),
        pytest.param("class A:\n    def __init__(self, t):\n        self.n = list(t.keys())", id="list already"),
        pytest.param("class A:\n    def __init__(self, t):\n        self.n = sorted(t.keys())", id="sorted"),
        pytest.param("class A:\n    def __init__(self, t):\n        self.n = dict(t.items())", id="dict of items"),
        pytest.param(
            "class A:\n    def __init__(self, t):\n        self.n = {k: v for k, v in t.items()}", id="dict comp"
        ),
        pytest.param("class A:\n    def __init__(self, t):\n        self.a, self.b = t.values()", id="unpacked"),
        pytest.param(
            "class A:\n    def __init__(self, t):\n        self.a, *self.b = t.keys()", id="starred unpacking"
        ),
        pytest.param("class A:\n    def __init__(self, t):\n        self.n = [*t.keys()]", id="starred in a list"),
        pytest.param("class A:\n    def __init__(self, t):\n        self.n = t.keys() & {1}", id="a set, not a view"),
        pytest.param(
            "class A:\n    def __init__(self, t):\n        self.n = nn.ModuleList(t.values())", id="ModuleList"
        ),
        pytest.param("class A:\n    def __init__(self, t):\n        self.n = t.get(t.keys())", id="a key of get"),
        pytest.param("class A:\n    def __init__(self, t):\n        self.n = 'x' in t.keys()", id="membership"),
        pytest.param("class A:\n    def __init__(self, t):\n        self.n = t.keys", id="bound method"),
        pytest.param("class A:\n    def __init__(self, t):\n        self.n = t.values(1)", id="call with an argument"),
        pytest.param(
            "class A:\n    def __init__(self, t):\n        self.n = t.items(section='x')", id="call with a keyword"
        ),
        pytest.param("T = {}\nclass A:\n    names = T.keys()", id="class attribute"),
        pytest.param(
            "class A:\n    @classmethod\n    def f(cls, t):\n        cls.names = t.keys()",
            id="class attribute from cls",
        ),
        pytest.param("class A:\n    pass\nA.names = {}.keys()", id="class attribute from outside"),
        pytest.param(
            "class A:\n    def f(self, t):\n        type(self).names = t.keys()", id="class attribute by type(self)"
        ),
        pytest.param("import conf\nconf.NAMES = conf.T.keys()", id="module attribute"),
        pytest.param("def f():\n    pass\nf.names = {}.keys()", id="function attribute"),
        pytest.param(
            "class A:\n    def __getitem__(self, i):\n        self.n = self.t.keys()", id="worker side: __getitem__"
        ),
        pytest.param("class A:\n    def __iter__(self):\n        self.n = self.t.keys()", id="worker side: __iter__"),
        pytest.param(
            "class B:\n    def keys(self):\n        return ['a']\nclass A:\n    def __init__(self):\n        self.n = B().keys()",
            id="own keys() that gives a list",
        ),
        pytest.param(
            "class A:\n    def values(self):\n        return [1]\n    def f(self):\n        self.n = self.values()",
            id="own values()",
        ),
        pytest.param(
            "import pandas as pd\nclass A:\n    def __init__(self, p):\n        df = pd.read_csv(p)\n        self.n = df.keys()",
            id="pandas Index",
        ),
        pytest.param(
            "class A:\n    def __init__(self, df: 'pd.DataFrame'):\n        self.n = df.keys()", id="pandas annotation"
        ),
        pytest.param(
            "class A:\n    def __init__(self, m: torch.Tensor):\n        self.n = m.values()", id="sparse tensor"
        ),
        pytest.param(
            "class A:\n    def __init__(self, t):\n        self.n = t.keys()\n"
            "    def __getstate__(self):\n        s = self.__dict__.copy()\n        s['n'] = list(self.n)\n        return s",
            id="__getstate__ takes care of it",
        ),
        pytest.param(
            "class A:\n    def __init__(self, t):\n        self.t = t\n        self.n = t.keys()\n"
            "    def __reduce__(self):\n        return A, (self.t,)",
            id="__reduce__ without it",
        ),
        pytest.param(
            "class A:\n    def __init__(self, t):\n        n = t.keys()\n        n = list(n)\n        self.n = n",
            id="local is a list by then",
        ),
    ],
)
def test_noop(text: str) -> None:
    assert reported(text) == []


@each_row(
    ("line", "after"),
    [
        pytest.param("self.n = t.keys()", "self.n = list(t.keys())", id="keys"),
        pytest.param("self.n = t.values()", "self.n = list(t.values())", id="values"),
        pytest.param("self.n = t.items()", "self.n = list(t.items())", id="items"),
        pytest.param("self.n: List[str] = t.keys()", "self.n: List[str] = list(t.keys())", id="annotated"),
        pytest.param("self.n = dict.keys(t)", "self.n = list(dict.keys(t))", id="unbound method"),
        pytest.param("self.n = OrderedDict(t).keys()", "self.n = list(OrderedDict(t).keys())", id="OrderedDict"),
        pytest.param("self.n = {'a': 1}.keys()", "self.n = list({'a': 1}.keys())", id="literal"),
        pytest.param("self.n = (t.keys())", "self.n = (list(t.keys()))", id="parentheses"),
        pytest.param("self.n = (t).keys()", "self.n = list((t).keys())", id="parentheses around the dict"),
        pytest.param("self.n = (t\n            .keys()  # names\n            )",
                     "self.n = (list(t\n            .keys())  # names\n            )", id="lines and comments"),
        pytest.param("self.n = t \\\n            .keys()", "self.n = list(t \\\n            .keys())", id="backslash"),
        pytest.param("self.n = t.keys(\n        )", "self.n = list(t.keys(\n        ))", id="open call"),
        pytest.param("self.n = t.keys(); self.m = 1", "self.n = list(t.keys()); self.m = 1", id="semicolon"),
        pytest.param("self.é = 'ü'; self.n = t.keys()", "self.é = 'ü'; self.n = list(t.keys())", id="not ASCII"),
        pytest.param("self.n = {'a': t.keys()}", "self.n = {'a': list(t.keys())}", id="in a dict"),
        pytest.param("self.n = [1, (t.keys(), 2)]", "self.n = [1, (list(t.keys()), 2)]", id="in a list in a tuple"),
        pytest.param("self.n = dict(a=t.keys())", "self.n = dict(a=list(t.keys()))", id="in dict()"),
        pytest.param("self.n = [x.keys() for x in t]", "self.n = [list(x.keys()) for x in t]", id="in a comprehension"),
        pytest.param("self.n = {k: x.values() for k, x in t.items()}", "self.n = {k: list(x.values()) for k, x in t.items()}",
                     id="in a dict comprehension"),
        pytest.param("self.n = t.keys() if t else []", "self.n = list(t.keys()) if t else []", id="conditional"),
        pytest.param("self.n = names or t.keys()", "self.n = names or list(t.keys())", id="or"),
        pytest.param("self.n = cfg.get('n', t.keys())", "self.n = cfg.get('n', list(t.keys()))", id="what get falls back to"),
        pytest.param("self.n = getattr(cfg, 'n', t.keys())", "self.n = getattr(cfg, 'n', list(t.keys()))", id="what getattr falls back to"),
        pytest.param("self.n = self.m = t.keys()", "self.n = self.m = list(t.keys())", id="chained"),
        pytest.param("self.n, self.m = t.keys(), t.values()", "self.n, self.m = list(t.keys()), list(t.values())", id="tuple"),
        pytest.param("self.n['a'] = t.keys()", "self.n['a'] = list(t.keys())", id="item of an attribute"),
        pytest.param("self.n.append(t.keys())", "self.n.append(list(t.keys()))", id="appended to an attribute"),
        pytest.param("n = t.keys()\n        self.n = n", "n = list(t.keys())\n        self.n = n", id="through a local"),
        pytest.param("if (n := t.keys()):\n            self.n = n", "if (n := list(t.keys())):\n            self.n = n", id="walrus"),
        pytest.param("n = t.keys()\n        self.n = {'a': n}", "n = list(t.keys())\n        self.n = {'a': n}", id="local in a dict"),
        pytest.param("n = t.keys()\n        self.k = n & names\n        self.n = n",
                     "n = t.keys()\n        self.k = n & names\n        self.n = list(n)", id="the local stays a view"),
        pytest.param("n = t.keys()\n        t['x'] = 1\n        self.n = n",
                     "n = t.keys()\n        t['x'] = 1\n        self.n = list(n)", id="changed before it is stored"),
        pytest.param("setattr(self, 'n', t.keys())", "setattr(self, 'n', list(t.keys()))", id="setattr"),
        pytest.param("cfg.n = t.keys()", "cfg.n = list(t.keys())", id="set on another object"),
        pytest.param("cfg.data.n = t.keys()", "cfg.data.n = list(t.keys())", id="set further down"),
        pytest.param("def put():\n            self.n = t.keys()", "def put():\n            self.n = list(t.keys())", id="nested function"),
    ],
)  # fmt: skip
def test_wrapped(line: str, after: str) -> None:
    template = "class A:\n    def __init__(self, t, names, cfg):\n        {}\n"
    assert rewritten(template.format(line)) == template.format(after)


@each_row(
    "use",
    [
        "for x in c.names: pass",
        "x = 'a' in c.names",
        "x = len(c.names)",
        "x = list(c.names)",
        "x = sorted(c.names)[0]",
        "x = [n for n in c.names]",
        "x = set(c.names) & {1}",
        "x = {1}.union(c.names)",
        "x = dict.fromkeys(c.names)",
        "x = dict(zip(c.names, range(3)))",
        "x = list(map(str, c.names))",
        "x = ', '.join(c.names)",
        "x = [*c.names]",
        "x = c.names or []",
        "x = c.names is None",
        "if not c.names: pass",
        "test.assertEqual(len(c.names), 3); test.assertIn('a', c.names)",
        "if isinstance(c.names, str): pass",
        "if isinstance(c.names, (dict, torch.Tensor)): pass",
        "helper(c.names)\ndef helper(names):\n    return len(names)",
    ],
)
def test_uses_that_a_list_serves_as_well(use: str) -> None:
    assert "list(self.table.keys())" in rewritten(CLASS, f"c = make()\n{use}\n")


@each_row(
    "use",
    [
        "x = c.names & other",
        "x = other | c.names",
        "x = other - c.names",
        "x = c.names ^ other",
        "x = c.names <= other",
        "x = c.names == other",
        "x = other != c.names",
        "x = (c.names or {}) & other",
        "c.names &= other",
        "other -= c.names",
        "x = list(c.names), c.names.isdisjoint(other)",
        "x = getattr(c, 'names') & other",
        "x = isinstance(c.names, list)",
        "x = isinstance(c.names, (str, list))",
        "test.assertEqual(c.names, other)",
        "x = isinstance(c.names, other)",
        "x = hasattr(c.names, other)",
        "x = vars(c)['names'] & other",
        "x = c.__dict__['names'] & other",
        "import operator; x = operator.and_(c.names, other)",
        "x = settings.get('names', c.names) & other",
        "x = getattr(settings, 'names', c.names) & other",
        "n = c.names; x = n & other",
        "n = o.n = c.names; x = o.n & other",
        "def f(names): return names & other\nf(c.names)",
        "def f(names): return names & other\nf(names=c.names)",
        "class B:\n    def __init__(self, k, names): self.kept = names\n    def f(self): return self.kept & other\nB(1, c.names)",
        "def f(): return c.names\nx = f() & other",
        "class B:\n    @property\n    def all(self): return self.c.names\nx = b.all & other",
        "from multiprocessing import Process\ndef f(q, names): return names & other\nProcess(target=f, args=(q, c.names))",
        "def f(names): return names & other\npool.submit(f, c.names)",
    ],
)
def test_refused_where_a_use_needs_a_view(use: str) -> None:
    finding = only(found(CLASS, f"c = make()\n{use}\n"))
    line = 1 + next(
        at for at, text in enumerate(f"c = make()\n{use}".split("\n")) if "other" in text or "isinst" in text
    )
    assert finding.fix is None and finding.reason is not None
    assert finding.reason.startswith(f"b.py:{line} "), finding.reason


def test_refusal_names_the_operator_and_what_to_do() -> None:
    finding = only(found(CLASS + "\n    def missing(self, other):\n        return self.names - other\n"))
    assert finding.reason == (
        "line 7 uses it with `-`, which a list does not have. "
        "If the order does not matter, store `set(...)`, else take the view where it is used"
    )
    assert finding.message == (
        "`self.names` keeps a live view of a dict; a worker process under spawn or forkserver stops with "
        "`TypeError: cannot pickle 'dict_keys' object`"
    )


def test_containers_are_followed_to_the_view_inside() -> None:
    kept = "class A:\n    def __init__(self, t):\n        self.n = {'a': t.keys()}\n"
    assert only(found(kept + "    def f(self, s):\n        return self.n['a'] & s\n")).reason
    assert only(found(kept + "    def f(self, s):\n        return self.n.get('a') & s\n")).reason
    assert only(
        found(kept + "    def f(self, s):\n        for v in self.n.values():\n            print(v & s)\n")
    ).reason
    assert only(found(kept + "    def f(self, s):\n        return self.n | s\n")).fix  # merges dicts


def test_same_attribute_name_of_an_unrelated_class_does_not_count() -> None:
    other = "class Other:\n    def __init__(self):\n        self.names = set()\n    def f(self, s):\n        return self.names & s\n"
    assert only(found(CLASS, other)).fix
    assert only(found(CLASS, other + "def g(s):\n    o = Other()\n    return o.names & s\n")).fix
    assert only(found(CLASS, other + "def g(o: Other, s):\n    return o.names & s\n")).fix
    assert only(found(CLASS, other + "def g(o, s):\n    return o.names & s\n")).reason
    child = "from a import Config\nclass Other(Config):\n    def f(self, s):\n        return self.names & s\n"
    assert only(found(CLASS, child)).reason


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("list = tuple\n", id="module"),
        pytest.param("from mine import list\n", id="import"),
        pytest.param("def list(x):\n    return x\n", id="function"),
    ],
)
def test_refused_where_list_is_another_name(text: str) -> None:
    assert "`list` is another name here (line 1)" in (only(found(text + CLASS)).reason or "")


def test_refused_where_a_parameter_is_called_list() -> None:
    finding = only(found("class A:\n    def __init__(self, t, list):\n        self.n = t.keys()\n"))
    assert "`list` is another name here" in (finding.reason or "")


def test_a_method_called_list_is_no_obstacle() -> None:
    assert only(found(CLASS + "    def list(self):\n        return 1\n")).fix


def test_refused_where_declared_as_a_view() -> None:
    finding = only(found("class A:\n    def __init__(self, t):\n        self.n: KeysView[str] = t.keys()\n"))
    assert "declares it as a view" in (finding.reason or "")


@each_row(
    ("change", "words"),
    [
        ("def add(self, n):\n        self.table[n] = 1", "line 6 sets an item"),
        ("def add(self, n):\n        self.table.setdefault(n, 1)", r"line 6 calls `.setdefault()`"),
        ("def drop(self, n):\n        del self.table[n]", "line 6 deletes from"),
        ("def drop(self, n):\n        self.table |= n", "line 6 updates the dict"),
        ("def drop(self, n):\n        table = self.table\n        table.pop(n)", "line 7 calls `.pop()`"),
        ("def first(self, n):\n        self.table.move_to_end(n)", "line 6 calls `.move_to_end()`"),
        ("def get(self):\n        return self.table\n    def f(self, n):\n        self.get()[n] = 1", "line 8 sets"),
        (
            "@property\n    def all(self):\n        return self.table\n    def f(self, n):\n        self.all[n] = 1",
            "line 9 sets an item",
        ),
        ("def f(self, n):\n        fill(n, self.table)\ndef fill(n, d):\n    d[n] = 1", "line 8 sets an item"),
        ("def f(self, n):\n        fill(d=self.table)\ndef fill(d):\n    d.clear()", "line 8 calls `.clear()`"),
    ],
)
def test_unsafe_where_the_dict_changes_later(change: str, words: str) -> None:
    fix = only(found(f"{CLASS}    {change}\n")).fix
    assert fix is not None and fix.unsafe is not None and fix.unsafe.startswith(words), fix


def test_a_property_of_the_name_in_another_class_is_another_dict() -> None:
    more = "    @property\n    def all(self):\n        return self.table\n"
    other = "class B:\n    def __init__(self):\n        self.all = {}\n    def f(self, n):\n        self.all[n] = 1\n"
    fix = only(found(f"{CLASS}{more}{other}")).fix
    assert fix is not None and fix.unsafe is None


GROWS = """\
from collections import defaultdict
class A:
    def __init__(self):
        {start}
        self.names = self.table.keys()
    def get(self, n):
        return {read}
"""


@each_row(
    ("start", "read", "words"),
    [
        ("self.table = defaultdict(list)", "self.table[n]", "line 7 reads an item"),
        ("self.table = defaultdict(list)", "[self.table[n] for n in self.table]", "line 7 reads an item"),
        ("self.table = {}", "self.table[n]", None),
        ("self.table = defaultdict(list)", "self.table.get(n)", None),
        ("table = self.table = {}; table['a'] = 1", "n", None),
    ],
)
def test_a_defaultdict_grows_when_it_is_read(start: str, read: str, words: str | None) -> None:
    fix = only(found(GROWS.format(start=start, read=read))).fix
    assert fix is not None and (fix.unsafe or "").startswith(words or "") and bool(fix.unsafe) is bool(words)


def test_another_name_given_at_once_is_the_same_dict() -> None:
    text = "class A:\n    def __init__(self):\n        t = self.t = {}\n        self.n = self.t.keys()\n        t['a'] = 1\n"
    fix = only(found(text)).fix
    assert fix is not None and fix.unsafe is not None and fix.unsafe.startswith("line 5 sets an item")


@each_row(
    "user",
    [
        "def main(ranges):\n    c = Config(ranges)\n    ranges['x'] = 1\n    return c",
        "def main(ranges):\n    c = Config(table=ranges)\n    ranges.update(x=1)\n    return c",
        "c = make()\nc.table['x'] = 1",
        "T = {}\nc = Config(T)\nT['x'] = 1",
    ],
)
def test_unsafe_where_another_file_changes_the_dict(user: str) -> None:
    fix = only(found(CLASS, f"from a import Config\n{user}\n")).fix
    assert fix is not None and fix.unsafe is not None and fix.unsafe.startswith("b.py:"), fix


@each_row(
    "text",
    [
        pytest.param("self.t = {}\n        self.t['a'] = 1\n        self.n = self.t.keys()", id="filled before"),
        pytest.param(
            "self.t = {}\n        for i in t:\n            self.t[i] = 1\n        self.n = self.t.keys()",
            id="loop before",
        ),
        pytest.param(
            "self.t = {}\n        self.fill()\n        self.n = self.t.keys()\n    def fill(self):\n        self.t['a'] = 1",
            id="filled by a method called before",
        ),
        pytest.param(
            "self.n = self.t.keys()\n    def f(self):\n        for k in self.t:\n            self.t[k] = 2",
            id="same keys",
        ),
        pytest.param("self.n = t.keys()\n        t = {}\n        t2 = {}\n        t2['a'] = 1", id="another dict"),
    ],
)
def test_changes_that_come_before_or_keep_the_keys(text: str) -> None:
    assert "list(" in rewritten(f"class A:\n    def __init__(self, t):\n        {text}\n")


def test_filled_by_callers_before_the_object_is_made() -> None:
    user = "def main():\n    ranges = {}\n    ranges['x'] = 1\n    return Config(ranges)\n"
    assert "list(" in rewritten(CLASS, user)


def test_values_are_live_where_keys_are_not() -> None:
    text = (
        CLASS.replace("keys", "values")
        + "    def f(self):\n        for k in self.table:\n            self.table[k] = 2\n"
    )
    fix = only(found(text)).fix
    assert fix is not None and fix.unsafe is not None


@each_row(
    "use",
    ["print(c.names)", "print(f'names: {c.names}')", "print('names ' + str(c.names))", "logger.info('%s', c.names)",
     "logger.info('%s' % c.names)", "raise KeyError(f'none of {c.names}')", "assert x in c.names, f'{c.names}'",
     "warnings.warn('names: {}'.format(c.names))"],
)  # fmt: skip
def test_safe_where_the_view_is_only_shown(use: str) -> None:
    fix = only(found(CLASS, f"c = make()\n{use}\n")).fix
    assert fix is not None and fix.unsafe is None


@each_row(
    "use",
    ["print(c.names, file=out)", "s = f'{c.names}'", "s = '%s' % c.names", "s = '%s %s' % (1, c.names)",
     "s = str(c.names)", "s = '{}'.format(c.names)", "out.write(str(c.names))"],
)  # fmt: skip
def test_unsafe_where_the_view_is_turned_into_text(use: str) -> None:
    fix = only(found(CLASS, f"c = make()\n{use}\n")).fix
    assert fix is not None and fix.unsafe == "b.py:2 puts it into a text, which would read differently"


def test_unsafe_where_the_dict_is_the_object_itself() -> None:
    fix = only(found("class A:\n    def __init__(self):\n        self.n = self.__dict__.keys()\n")).fix
    assert fix is not None and fix.unsafe is not None and "own attributes" in fix.unsafe


def test_unsafe_where_it_may_be_no_dict() -> None:
    text = "import torch\nclass A:\n    def __init__(self, m):\n        self.n = m.values()\n"
    fix = only(found(text)).fix
    assert fix is not None and fix.unsafe is not None and "tensor" in fix.unsafe
    assert "list(" in rewritten(text + "        print(m.get('a'))\n")
    assert "list(" in rewritten(text.replace(", m)", ", m: dict)"))
    assert "list(" in rewritten(text.replace("m.values()", "load().values()") + "def load():\n    return {'a': 1}\n")


def test_only_views_named_by_the_receiver() -> None:
    ordered = "from collections import OrderedDict\nclass A:\n    def __init__(self, t):\n        self.n = OrderedDict(t).items()\n"
    assert "'odict_items'" in only(found(ordered)).message
    assert (
        "HDF5"
        in only(
            found(
                "import h5py\nclass A:\n    def __init__(self, p):\n        f = h5py.File(p)\n        self.n = f.keys()\n"
            )
        ).message
    )
    h5 = "import h5py\nclass A:\n    def __init__(self, p):\n        with h5py.File(p) as f:\n            self.n = f.values()\n"
    assert "h5py" in (only(found(h5)).reason or "")
    mine = "class Bag(dict):\n    def __init__(self, t):\n        super().__init__(t)\n        self.n = self.keys()\n"
    assert "list(self.keys())" in rewritten(mine)
    assert "list(super().keys())" in rewritten(mine.replace("self.keys()", "super().keys()"))


@each_row(
    "text",
    [
        pytest.param("class A:\n    def f(self):\n        self.n = self.keys()\n", id="no sign of a dict"),
        pytest.param("class T(unittest.TestCase):\n    def setUp(self):\n        self.n = {}.keys()\n", id="test case"),
        pytest.param(
            "class T(threading.Thread):\n    def __init__(self, t):\n        self.n = t.keys()\n", id="thread"
        ),
        pytest.param("class M(nn.Module):\n    def forward(self, x):\n        self.n = x.keys()\n", id="forward"),
        pytest.param("class H:\n    def after_step(self, x={}):\n        self.n = x.keys()\n", id="hook"),
        pytest.param(
            "def f(t):\n    class A:\n        def __init__(self):\n            self.n = t.keys()\n    return A()\n",
            id="local class",
        ),
        pytest.param("def f(t):\n    a = Space()\n    a.n = t.keys()\n    return len(a.n)\n", id="object that dies"),
    ],
)
def test_possible_only(text: str) -> None:
    assert only(found(text)).confidence is Confidence.POSSIBLE


@each_row(
    ("sent", "confidence"),
    [
        ("", Confidence.POSSIBLE),
        ("Config({})\n", Confidence.POSSIBLE),
        ("class Rows(Dataset):\n    def __init__(self, t):\n        self.c = Config(t)\n", Confidence.LIKELY),
        ("def load(t):\n    return DataLoader(Config(t), num_workers=2)\n", Confidence.PROVEN),
    ],
)
def test_the_object_is_one_that_is_sent(sent: str, confidence: Confidence) -> None:
    """A class whose objects nothing sends keeps what it likes: a trainer, a page that shows molecules."""
    finding = only(found(f"from torch.utils.data import DataLoader, Dataset\n{CLASS}\n{sent}"))
    assert finding.confidence is confidence


def test_an_object_that_is_handed_on_is_likely() -> None:
    finding = only(found("def f(t):\n    a = Space()\n    a.n = t.keys()\n    return a\n"))
    assert finding.confidence is Confidence.LIKELY
    assert [hop.line for hop in finding.trace] == [3, 3]


def test_module_level_view_is_copied_where_it_is_stored() -> None:
    text = "T = {'a': 1}\nNAMES = T.keys()\nclass A:\n    def __init__(self):\n        self.n = NAMES\n"
    assert rewritten(text) == text.replace("self.n = NAMES", "self.n = list(NAMES)")
    register = "def register(f):\n    T[f.__name__] = f\n"
    fix = only(found(text + register)).fix
    assert fix is not None and fix.unsafe is not None and fix.unsafe.startswith("line 7 sets an item")


def test_both_branches_of_a_local() -> None:
    text = "class A:\n    def __init__(self, t, u):\n        if u:\n            n = t.keys()\n        else:\n            n = u.keys()\n        self.n = n\n"
    assert rewritten(text) == text.replace("t.keys()", "list(t.keys())").replace("u.keys()", "list(u.keys())")


def test_crlf_and_bom_stay() -> None:
    data = b"\xef\xbb\xbf" + CLASS.replace("\n", "\r\n").encode()
    project = Project(MemoryFiles({"a.py": data}))
    finding = only(list(RULE.find(project)))
    source = project.source("a.py")
    assert source is not None and finding.fix is not None
    after = source.encode(source.apply(finding.fix.edits))
    assert after == data.replace(b"self.table.keys()", b"list(self.table.keys())")


WORK = "from multiprocessing import Pool, Process\ndef work(names, q=()):\n    return len(names)\n"
KEPT = "class A:\n    def __init__(self, n):\n        self.n = n\n    def run(self):\n        pass\n"


@pytest.mark.parametrize(
    ("text", "view"),
    [
        pytest.param(
            WORK + "def main(t):\n    Process(target=work, args=(t.keys(), 1)).start()\n", "t.keys()", id="argument"
        ),
        pytest.param(
            WORK + KEPT + "def main(t):\n    Process(target=A(t.keys()).run).start()\n", "t.keys()", id="constructor"
        ),
        pytest.param(
            WORK
            + KEPT
            + "def names(t):\n    return t.keys()\ndef main(t):\n    Process(target=A(names(t)).run).start()\n",
            "t.keys()",
            id="returned by a helper",
        ),
    ],
)
def test_handed_to_another_process_without_being_stored_here(text: str, view: str) -> None:
    finding = only(found(text))
    assert finding.confidence is Confidence.PROVEN
    assert "multiprocessing.Process" in finding.trace[-1].what
    assert rewritten(text) == text.replace(view, f"list({view})")


def test_refused_where_the_worker_needs_a_view() -> None:
    text = (
        WORK.replace("len(names)", "names & q") + "def main(t):\n    Process(target=work, args=(t.keys(), 1)).start()\n"
    )
    assert only(found(text)).reason


@each_row(
    "call",
    [
        "pool.map(work, t.keys())",
        "pool.starmap(work, t.items())",
        "n = t.keys(); pool.map(work, n)",
        "n = t.keys(); print(len(n)); pool.map(work, n)",
    ],
)
def test_pools_loop_over_what_they_are_given(call: str) -> None:
    assert reported(f"{WORK}def main(t):\n    with Pool(2) as pool:\n        {call}\n") == []


def test_stored_and_seen_to_cross_is_proven() -> None:
    finding = only(found(f"{WORK}{CLASS}def main(t):\n    Process(target=work, args=(Config(t),)).start()\n"))
    assert finding.confidence is Confidence.PROVEN and "multiprocessing.Process" in finding.trace[-1].what


FACTORY = "from nuscenes.eval.detection.config import config_factory\n"


def dataset(body: str, base: str = "Dataset", more: str = "") -> str:
    """A dataset whose `__init__` runs `body`."""
    lines = "".join(f"        {line}\n" for line in body.splitlines())
    return f"{FACTORY}{more}class Scenes({base}):\n    def __init__(self, version):\n{lines}"


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("self.cfg = config_factory(version)", "self.cfg.class_names = list(self.cfg.class_names)"),
        ("cfg = config_factory(version)\nself.cfg = cfg", "cfg.class_names = list(cfg.class_names)"),
    ],
)
def test_one_line_for_an_object_of_an_installed_package(body: str, line: str) -> None:
    before = dataset(body)
    after = rewritten(before)
    assert [each.strip() for each in after.splitlines() if each not in before.splitlines()][1:] == [line]
    assert not reported(after)


def test_one_line_where_a_local_object_goes_to_a_dataset() -> None:
    code = FACTORY + (
        "class Scenes(Dataset):\n    def __init__(self, cfg):\n        self.cfg = cfg\n\n"
        "def build():\n    cfg = config_factory('detection_cvpr_2019')\n    return Scenes(cfg=cfg)\n"
    )
    after = rewritten(code)
    assert "    cfg.class_names = list(cfg.class_names)\n    return Scenes(cfg=cfg)\n" in after
    assert not reported(after)


@each_row(
    "code",
    [
        dataset("self.cfg = config_factory('tracking_nips_2019')"),
        dataset("cfg = config_factory(version)"),
        dataset("self.cfg = config_factory(version)", base="BaseMetric"),
        dataset("self.cfg = config_factory(version)\nself.cfg.class_names = sorted(self.cfg.class_names)"),
        dataset("self.cfg = config_factory(version)").replace("nuscenes.", "mine."),
        "from mmdet3d.datasets import NuScenesDataset\nclass Scenes(NuScenesDataset):\n    def f(self): pass\n",
        "from mmcv.parallel import collate\nfrom mmdet3d.datasets import KittiDataset\nclass A(KittiDataset):\n    x = 1\n",
    ],
)
def test_installed_packages_are_left_alone(code: str) -> None:
    assert not reported(code)


def test_the_package_itself_gets_no_line_from_outside() -> None:
    contents = {
        "nuscenes/eval/detection/data_classes.py": b"class DetectionConfig:\n    pass\n",
        "scenes.py": dataset("self.cfg = config_factory(version)").encode(),
    }
    assert not list(RULE.find(Project(MemoryFiles(contents))))


@each_row(
    ("code", "reason"),
    [
        (dataset("self.cfg = config_factory(version) if version else None"), "not always created"),
        (dataset("if version: self.cfg = config_factory(version)"), "shares its line"),
        (dataset("self.cfg = config_factory(version); self.n = 1"), "shares its line"),
        (dataset("pass") + "s = Scenes(config_factory('detection_cvpr_2019'))\n", "give it a name first"),
        (dataset("self.cfg = config_factory(version)") + "    def g(self, o):\n        return self.cfg.class_names & o\n",
         "`&`, which a list does not have"),
        (dataset("self.cfg = config_factory(version)", more="list = tuple\n"), "`list` is another name"),
        ("from mmcv.parallel import collate\nfrom mmdet3d.datasets import NuScenesDataset\n"
         "class A(NuScenesDataset):\n    def __init__(self):\n        self.x = 1\n", "no call of the `__init__`"),
    ],
)  # fmt: skip
def test_installed_packages_refused(code: str, reason: str) -> None:
    finding = only(reported(code))
    assert finding.fix is None and reason in (finding.reason or "")


@pytest.mark.parametrize(
    ("line", "is_fixed"), [("model.kinds = config.class_names", True), ("score(config.class_names)", False)]
)
def test_what_another_object_keeps_under_the_same_name(line: str, is_fixed: bool) -> None:
    """`model.kinds` may be anything, and so may the `config` that it comes from."""
    code = dataset("self.cfg = config_factory(version)") + (
        f"\ndef load(model, config):\n    {line}\n    return score(model.kinds)\n\n"
        "def score(kinds):\n    return list(kinds) if isinstance(kinds, (list, tuple)) else [kinds]\n"
    )
    assert (only(reported(code)).fix is not None) is is_fixed


def test_installed_package_unsafe_where_its_dict_changes() -> None:
    code = dataset("self.cfg = config_factory(version)\nself.cfg.class_range.pop('barrier')")
    fix = only(reported(code)).fix
    assert fix is not None and "`.class_range`" in (fix.unsafe or "")


OTHER_STORE = """
class Store:
    def __init__(self, names):
        self.names = set(names)

    def common(self, more):
        return self.names | more
"""


@pytest.mark.parametrize(
    ("bases", "refused"),
    [
        pytest.param("Dataset", False, id="another class of the same name"),
        pytest.param("Other, Dataset", True, id="its base, under another name"),
    ],
)
def test_classes_of_one_name_in_two_files_are_told_apart(bases: str, refused: bool) -> None:
    keeps = f"""
        from torch.utils.data import Dataset
        from b import Store as Other

        class Store({bases}):
            def __init__(self, table: dict):
                self.names = table.keys()
    """
    (finding,) = [finding for finding in found(keeps, OTHER_STORE) if finding.path == "a.py"]
    assert (finding.fix is None) is refused


def test_what_only_checks_its_arguments_keeps_none() -> None:
    text = """
        from torchvision.datasets import VisionDataset
        from torchvision.datasets.{module} import {name}

        class Rows(VisionDataset):
            def __init__(self, root, version, urls):
                self.version = {name}(version, "version", urls.keys())
    """
    assert not found(text.format(module="utils", name="verify_str_arg"))
    assert reported(text.format(module="folder", name="DatasetFolder"))


@pytest.mark.parametrize(
    ("beside", "views"),
    [("rows.lengths()", 0), ("rows.indices()", 0), ("rows.pop('a')", 1), ("other.lengths()", 1), ("rows.lengths", 1)],
)
def test_what_is_asked_for_what_only_tensors_have_is_one(beside: str, views: int) -> None:
    text = f"import torch\nclass A:\n    def __init__(self, rows, other):\n        {beside}\n        self.n = rows.values()\n"
    assert len(found(text)) == views
    assert len(found(text.replace("import torch\n", ""))) == 1
