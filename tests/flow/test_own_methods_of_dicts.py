"""A class that derives from a container: what its own methods give, and what those of the container give."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import reported

TEXT = """\
from collections import OrderedDict, UserDict, defaultdict

from torch.utils.data import DataLoader


class Catalog({base}):
    def register(self, name, func):
        {keep}

    def {own}


catalog = Catalog({start})
catalog.register("a", lambda: [1, 2])


def main(names):
    data = {use}
    for batch in DataLoader(data, num_workers=2):
        print(batch)


main(["a"])
"""
ITEM = "self[name] = func"
RAW = "super().__setitem__(name, func)"
ALL = "[f() for f in self.data.values()]"


def found(base: str, own: str, use: str, keep: str = ITEM, start: str = "") -> bool:
    text = TEXT.format(base=base, own=own, use=use, keep=keep, start=start)
    return bool(reported({"a.py": text}, "lambdas"))


@each_row(
    "base, own, use",
    [
        (base, own, use)
        for base in ("dict", "UserDict", "OrderedDict", "defaultdict")
        for own, use in [
            ("get(self, name):\n        f = self[name]\n        return f()", "[catalog.get(n) for n in names]"),
            ("get(self, name):\n        return super().get(name)()", "[catalog.get(n) for n in names]"),
            ("get(self, name):\n        return super().__getitem__(name)()", "catalog.get(names[0])"),
            ("pop(self, name):\n        return self[name]()", "[catalog.pop('a')]"),
            ("setdefault(self, name, f=None):\n        return self[name]()", "[catalog.setdefault('a')]"),
            ("popitem(self):\n        return super().popitem()[1]()", "catalog.popitem()"),
            ("values(self):\n        return [f() for f in super().values()]", "list(catalog.values())"),
            ("items(self):\n        return [(n, self[n]()) for n in self]", "[v for _, v in catalog.items()]"),
            ("copy(self):\n        return [self[n]() for n in self]", "catalog.copy()"),
            ("update(self):\n        return [self[n]() for n in self]", "catalog.update()"),
            ("__getitem__(self, name):\n        return super().__getitem__(name)()", "[catalog[n] for n in names]"),
            ("__iter__(self):\n        for f in super().values():\n            yield f()", "[f for f in catalog]"),
        ]
    ],
)  # fmt: skip
def test_its_own_method_calls_it(base: str, own: str, use: str) -> None:
    assert not found(base, own, use)


@each_row(
    "base, own, use, keep",
    [
        ("dict", "get(self, name):\n        return self[name]", "[catalog.get(n) for n in names]", ITEM),
        ("dict", "get(self, name):\n        return super().get(name)", "[catalog.get(n) for n in names]", ITEM),
        ("dict", "get(self, name):\n        return super().get(name)", "[catalog.get('a')]", RAW),
        ("dict", "pop(self, name):\n        return super().pop(name)", "[catalog.pop('a')]", ITEM),
        ("dict", "size(self):\n        return len(self)", "[catalog.get(n) for n in names]", ITEM),
        ("dict", "size(self):\n        return len(self)", "[catalog[n] for n in names]", ITEM),
        ("dict", "size(self):\n        return len(self)", "list(catalog.values())", ITEM),
        ("dict", "__getitem__(self, name):\n        return super().__getitem__(name)", "[catalog['a']]", ITEM),
        ("dict", "__iter__(self):\n        yield from super().values()", "[f for f in catalog]", ITEM),
        ("dict", "__iter__(self):\n        return iter(super().values())", "[f for f in catalog]", ITEM),
        ("UserDict", "get(self, name):\n        return self.data[name]", "[catalog.get(n) for n in names]", ITEM),
        ("UserDict", "get(self, name):\n        return self[name]", "[catalog.get(n) for n in names]",
         "self.data[name] = func"),
        ("dict", "get(self, name):\n        return dict.get(self, name)", "[catalog.get(n) for n in names]", ITEM),
        ("dict", "__getitem__(self, name):\n        return dict.__getitem__(self, name.lower())", "catalog['A']", ITEM),
        ("dict", "values(self):\n        return [dict.get(self, n) for n in self]", "catalog.values()", ITEM),
        ("dict", "size(self):\n        return len(self)", "[dict.get(catalog, 'a')]",
         "dict.setdefault(self, name, func)"),
        ("UserDict", "size(self):\n        return len(self)", "[catalog.data[n] for n in names]", ITEM),
    ],
)  # fmt: skip
def test_its_own_method_gives_it(base: str, own: str, use: str, keep: str) -> None:
    assert found(base, own, use, keep)


@each_row(
    "base, own, use, keep, lets_out",
    [
        ("list", "append(self, func):\n        super().append(func())", "catalog", "self.append(func)", False),
        ("list", "append(self, func):\n        super().append(func)", "catalog", "self.append(func)", True),
        ("set", "add(self, func):\n        super().add(func())", "catalog", "self.add(func)", False),
        ("set", "add(self, func):\n        super().add(func)", "list(catalog)", "self.add(func)", True),
        ("list", "insert(self, at, f):\n        super().insert(at, f())", "catalog", "self.insert(0, func)", False),
        ("dict", "__setitem__(self, n, f):\n        super().__setitem__(n, f())", "[catalog.values()]", ITEM, False),
        ("dict", "__setitem__(self, n, f):\n        super().__setitem__(n, f)", "[catalog.values()]", ITEM, True),
        ("dict", "get(self, name):\n        return self[name]", "[catalog.get('b')]", "pass", False),
        ("dict", "__setitem__(self, n, f):\n        dict.__setitem__(self, n, f)", "[catalog.values()]", ITEM, True),
        ("dict", "__setitem__(self, n, f):\n        dict.__setitem__(self, n, f())", "[catalog.values()]", ITEM, False),
        ("OrderedDict", "__setitem__(self, n, f):\n        OrderedDict.__setitem__(self, n, f)", "catalog", ITEM, True),
        ("list", "append(self, func):\n        list.append(self, func)", "catalog", "self.append(func)", True),
        ("list", "append(self, func):\n        list.append(self, func())", "catalog", "self.append(func)", False),
    ],
)  # fmt: skip
def test_what_its_own_method_puts_in(base: str, own: str, use: str, keep: str, lets_out: bool) -> None:
    assert found(base, own, use, keep) == lets_out


@each_row(
    "start, own, use, lets_out",
    [
        ("b=lambda: 1", "get(self, name):\n        return self[name]()", "[catalog.get('b')]", False),
        ("b=lambda: 1", "get(self, name):\n        return self[name]", "[catalog.get('b')]", True),
        ("{'b': lambda: 1}", "get(self, name):\n        return self[name]", "[catalog.get('b')]", True),
        ("{'b': lambda: 1}", "size(self):\n        return len(self)", "[catalog.get('b')]", True),
    ],
)  # fmt: skip
def test_what_it_begins_with(start: str, own: str, use: str, lets_out: bool) -> None:
    assert found("dict", own, use, "pass", start) == lets_out


@each_row(
    "base, reported_too",
    [("Lower, dict", True), ("Lower, OrderedDict", True), ("Called, dict", False), ("Lower, UserDict", True)],
)
def test_what_a_mixin_puts_in(base: str, reported_too: bool) -> None:
    mixins = """\
class Lower:
    def __setitem__(self, name, func):
        super().__setitem__(name.lower(), func)


class Called:
    def __setitem__(self, name, func):
        super().__setitem__(name, func())


class Catalog("""
    text = TEXT.format(base=base, own="size(self):\n        return len(self)", use="catalog", keep=ITEM, start="")
    assert bool(reported({"a.py": text.replace("class Catalog(", mixins)}, "lambdas")) == reported_too
