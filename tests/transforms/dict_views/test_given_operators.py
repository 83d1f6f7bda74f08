"""Views that get to a set operator by a generator, an unpacked comprehension, a partial, or a given function."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import reported

PROGRAM = """\
import functools
import itertools
import operator
from multiprocessing import Process


class Table:
    def __init__(self, rows):
        self.names = rows.keys()


def both(one, other):
    return one & other


def shared(*names):
    return functools.reduce(operator.and_, names)


def shown(*names):
    return [len(each) for each in names]


def combine(tables, how):
    return functools.reduce(how, (x.names for x in tables))


def longest(tables, how):
    return max(how(x.names) for x in tables)


class Runner:
    def __init__(self, how):
        self.how = how

    def run(self, one, other):
        return self.how(one.names, other.names)


def names_of(tables):
    return [x.names for x in tables]


def named(table):
    return table.names, 3


def each_of(tables):
    for table in tables:
        yield table.names


def work(table):
    print(list(table.names))


if __name__ == "__main__":
    tables = [Table({{"a": 1, "b": 2}}), Table({{"b": 1}})]
    {used}
    Process(target=work, args=(tables[0],)).start()
"""

OF_A_PARTIAL = """\
from functools import partial
from multiprocessing import Process


def check(known, label, extra=None):
    return label in known


def parts(of):
    return of.args[0] & {{'a'}}


def work(check):
    print(check("b"))


if __name__ == "__main__":
    check = partial(check, {given})
    Process(target=work, args=(check,)).start()
    print({used})
"""


def _is_fixed(program: str, **texts: str) -> bool:
    found = reported({"run.py": program.format(**texts)}, "dict-views")
    assert found
    return all(each.fix is not None for each in found)


@each_row(
    ("used", "fixed"),
    [
        ("print(combine(tables, operator.or_))", False),
        ("print(combine(tables, both))", False),
        ("print(combine(tables, lambda one, other: one & other))", False),
        ("print(longest(tables, len))", True),
        ("print(functools.reduce(lambda one, other: one & other, [x.names for x in tables]))", False),
        ("print(functools.reduce(lambda one, other: [*one, *other], [x.names for x in tables]))", True),
        ("print(functools.reduce(operator.and_, (getattr(x, 'names') for x in tables)))", False),
        ("print(both(*(x.names for x in tables)))", False),
        ("print(shared(tables[0].names, tables[1].names))", False),
        ("print(shown(tables[0].names, tables[1].names))", True),
        ("how = lambda one, other: one | other\n    print(how(tables[0].names, tables[1].names))", False),
        ("how = lambda one, other: len(one) - len(other)\n    print(how(tables[0].names, tables[1].names))", True),
        ("one, other = (x.names for x in tables)\n    print(one & other)", False),
        ("one, other = (x.names for x in tables)\n    print(len(one) & len(other))", True),
        ("one, *rest = [x.names for x in tables]\n    print(rest[0] & {1})", False),
        ("print([a & b for a, b in itertools.combinations([x.names for x in tables], 2)])", False),
        ("print([a == b for a, b in itertools.combinations(tables[0].names, 2)])", True),
        ("print([k == 'a' for k in itertools.chain.from_iterable(x.names for x in tables)])", True),
        ("print(next(x.names for x in tables) & {1})", False),
        ("print(max((x.names for x in tables), key=len) - {1})", False),
        *(
            (f"print(operator.{name}(tables[0].names, {{1}}))", False)
            for name in ("sub", "iand", "ior", "ixor", "isub", "ne", "lt", "le", "ge")
        ),
        ("print(operator.add(len(tables[0].names), 1))", True),
        *(
            (f"print([a & b for a, b in itertools.{name}([x.names for x in tables], 2)])", False)
            for name in ("permutations", "combinations_with_replacement", "pairwise")
        ),
        *(
            (f"for names in itertools.{name}((x.names for x in tables), 2):\n        print(names & {{1}})", False)
            for name in ("chain", "islice", "cycle")
        ),
        ("print({'&': operator.and_}['&'](tables[0].names, {1}))", False),
        ("print({'n': len}['n'](tables[0].names))", True),
        ("print(Runner(operator.and_).run(*tables))", False),
        ("print(Runner(lambda one, other: len(one)).run(*tables))", True),
        ("one, other = names_of(tables)\n    print(one & other)", False),
        ("names, count = named(tables[0])\n    print(names & {1})", False),
        ("names, count = named(tables[0])\n    print(len(names), count == 3, count & 1)", True),
        ("one, other = each_of(tables)\n    print(one & other)", False),
        ("for names in each_of(tables):\n        print(names & {1})", False),
        ("for names in each_of(tables):\n        print(len(names))", True),
        ("for at, names in enumerate(names_of(tables)):\n        print(names & {1})", False),
        ("for at, names in enumerate(names_of(tables)):\n        print(at == 1, at & 1, len(names))", True),
        ("for names, at in zip(names_of(tables), range(2)):\n        print(names & {1})", False),
        ("for names, at in zip(names_of(tables), range(2)):\n        print(at == 1, at & 1, len(names))", True),
        ("print(functools.reduce(operator.and_, map(operator.attrgetter('names'), tables)))", False),
        ("print(operator.attrgetter('names')(tables[0]) & {1})", False),
        ("print(list(map(operator.attrgetter('names'), tables)))", True),
        ("get = operator.attrgetter('names')\n    print(get(tables[0]) & {1})", False),
        ("get = operator.attrgetter('names')\n    print(len(get(tables[0])), 'a' in get(tables[0]))", True),
        ("get = operator.attrgetter('names')\n    print(functools.reduce(operator.and_, map(get, tables)))", False),
        ("get = operator.attrgetter('names')\n    print(list(map(get, tables)))", True),
        ("one, n = operator.attrgetter('names', 'n')(tables[0])\n    print(one & {1})", False),
        ("KEYS = {'a': operator.attrgetter('names')}\n    print(KEYS['a'](tables[0]) & {1})", False),
        ("print(longest(tables, operator.attrgetter('names')))", False),
        ("get = operator.attrgetter('names')\n    print(longest(tables, get))", False),
        ("get = operator.methodcaller('__getattribute__', 'names')\n    print(get(tables[0]) & {1})", False),
        ("print(sorted(tables, key=operator.attrgetter('size')))", True),
        ("get = operator.attrgetter('table.names')\n    print(get(tables[0]) == {'a': 1}.keys())", False),
        ("print(functools.reduce(operator.and_, map(lambda x: x.names, tables)))", False),
        ("print([len(n) for n in map(lambda x: x.names, tables)])", True),
        ("print(sum(len(names) for names in (x.names for x in tables)))", True),
        ("print(sorted(name for x in tables for name in x.names))", True),
        ("print(any('a' in x.names for x in tables))", True),
        ("print(list(map(len, (x.names for x in tables))))", True),
        ("print(functools.reduce(operator.and_, (set(x.names) for x in tables)))", True),
    ],
)
def test_an_operator_may_be_given(used: str, fixed: bool) -> None:
    assert _is_fixed(PROGRAM, used=used) is fixed


@each_row(
    ("given", "used", "fixed"),
    [
        ("table.keys()", "check.args[0] & {'a'}", False),
        ("known=table.keys()", "check.keywords['known'] | {'a'}", False),
        ("table.keys()", "parts(check)", False),
        ("table.keys()", "check.args[0] == {'a': 1}.keys()", False),
        ("table.keys()", "len(check.args[0]), 'a' in check.args[0], sorted(check.args[0])", True),
        ("known=table.keys()", "check.func('b', 'c'), list(check.keywords['known'])", True),
        ("table.keys()", "check('a')", True),
        ("table.values()", "len({1} & {*check.args[0]}), check.keywords.get('known', set()) | {1}", True),
    ],
)
def test_the_arguments_of_a_partial_are_read(given: str, used: str, fixed: bool) -> None:
    program = OF_A_PARTIAL.replace("    check = partial", '    table = {{"a": 1, "b": 2}}\n    check = partial')
    assert _is_fixed(program, given=given, used=used) is fixed
