"""Rows of flow/boundaries.toml about names: aliases, variants, starters, carriers, harmless callables, bases."""

from __future__ import annotations

import textwrap
from typing import Any

import pytest
from test_boundary_rows import MADE_WITH, TABLE, findings, imported, pickled, rows, written

from codemods.finding import Confidence
from harness.each_row import each_row

KEEPS_A_LAMBDA = """
class Made({}):
    def __init__(self):
        self.act = lambda x: x
"""


def called_in(prefix: str) -> dict[str, Any] | None:
    """A boundary whose name begins with `prefix`."""
    for row in TABLE["boundary"]:
        name = row["callable"]
        if name.startswith(prefix) and name[len(prefix) :][:1] in ("", ".", "(", "[") and pickled(row):
            return dict(row)
    return None


def program_with(name: str, spelled: str) -> str:
    """A program in which what is known of `name` shows, with `spelled` in its place."""
    row = called_in(name)
    if row is not None:
        code = next(iter(pickled(row).values()))
        shown = written(name) if name in row["callable"] else name
        assert shown in code
        imports = "import transformers; " if row["callable"] in MADE_WITH else ""
        return f"{imports}{code.replace(shown, spelled, 1)}"
    if any(name == each["base"] for each in TABLE["carried"]):
        return KEEPS_A_LAMBDA.format(spelled)
    for each in TABLE["variant"]:
        for made in each.get("made_by", ()):
            if made.startswith(name) and made.endswith("[workers]"):
                settings = f"{spelled}('x', dataloader_num_workers=2)"
                return f"import transformers; transformers.Trainer(args={settings}, data_collator=lambda: 1)"
            if made.startswith(name):
                start = f"{each['callable']}({each['parameter']}={made.replace(name, spelled, 1)}())"
                return f"import {each['callable'].rpartition('.')[0]}\n{start}.{_method(each)}(lambda: 1)"
    raise AssertionError(f"nothing of the table begins with {name}")


def _method(variant: dict[str, Any]) -> str:
    """What starts the processes of such an object."""
    return next(
        row["callable"].rpartition(".")[2]
        for row in TABLE["boundary"]
        if row["callable"].startswith(variant["becomes"])
    )


def meaning(alias: str) -> str:
    """The table's own name for `alias`; an alias may lead to another."""
    name = TABLE["alias"][alias]
    for longer, shorter in TABLE["alias"].items():
        if name == longer or name.startswith(f"{longer}."):
            return shorter + name[len(longer) :]
    return str(name)


HARMLESS = [row["callable"] for row in TABLE["harmless"]]


FORKS = "multiprocessing.fork_context().Pool"  # pickles what its tasks get, and not its initializer


def test_a_pool_that_forks() -> None:
    begin = "import multiprocessing\nFORK = multiprocessing.get_context('fork')\n"
    (made,) = findings(f"{begin}FORK.Pool(2, initializer=lambda: 1)\n").values()
    (sent,) = findings(f"{begin}FORK.Pool(2).map(lambda x: x, [1])\n").values()
    assert (made.confidence.value, sent.confidence.value) == ("possible", "proven")


@each_row("alias", [alias for alias in TABLE["alias"] if alias != FORKS])
def test_another_name_for_the_same(alias: str) -> None:
    name = meaning(alias)
    if any(f"{name}.".startswith(f"{each}.") for each in HARMLESS):
        source = f"{imported(alias)}\nimport pickle\nclass Kept:\n    def __init__(self):\n        self.x = "
        ends = "(lambda: 1)\npickle.dumps(Kept())\n"
        assert "lambdas" not in {finding.rule for finding in findings(source + alias + ends).values()}
        assert [*findings(source + "unknown.Thing" + ends)] == [5]
        return
    known = findings(f"{imported(name)}\n{program_with(name, written(name))}")
    found = findings(f"{imported(alias)}\n{program_with(name, alias)}")
    (seen,), (same,) = found.items(), known.items()
    old = alias.startswith("cPickle")  # its last step says so
    assert (seen[0], seen[1].message, seen[1].trace[-1 - old].what) == (
        same[0],
        same[1].message,
        same[1].trace[-1].what,
    )
    assert seen[1].confidence is (Confidence.POSSIBLE if old else same[1].confidence)


SELECTIVE = {row["callable"] for row in TABLE["selective"]}  # these keep what they get, and start nothing


@each_row(
    "row",
    [row for row in rows("variant") if "place" not in row.values[0] and row.values[0]["becomes"] not in SELECTIVE],
)
def test_what_an_object_is_called_by_an_argument(row: dict[str, Any]) -> None:
    if row["callable"].endswith("DDPStrategy"):  # what makes a strategy is asked for where a trainer takes it
        start = f"{imported(row['callable'])}\nimport lightning.pytorch\n"
        trainer = f"lightning.pytorch.Trainer(strategy={row['callable']}({row['parameter']}={{}})).fit(lambda: 1)"
    elif row["becomes"].endswith("[workers]"):
        start = "import transformers\n\n"
        settings = f"{row['callable']}({row['parameter']}={{}})"
        trainer = f"transformers.Trainer(args={settings}, data_collator=lambda: 1)"
    else:
        start = f"{imported(row['callable'])}\nimport lightning.pytorch.strategies\n"
        trainer = f"{row['callable']}({row['parameter']}={{}}).{_method(row)}(lambda: 1)"
    spawning = [*map(repr, row.get("values", ())), *(f"{made}()" for made in row.get("made_by", ()))]
    found = findings(start + "\n".join(trainer.format(value) for value in [*spawning, "'ddp'", "'fork'", "None"]))
    assert [*found] == [*range(3, 3 + len(spawning))]
    assert {each.confidence for each in found.values()} == {Confidence.PROVEN}


@pytest.mark.parametrize("row", [row for row in rows("variant") if {"place", "values"} <= row.values[0].keys()])
def test_what_an_object_is_called_by_position(row: dict[str, Any]) -> None:
    start = f"{imported(row['callable'])}\n"
    for value in row["values"]:
        for argument in (f"{value!r}", f"{row['parameter']}={value!r}"):
            found = findings(f"{start}{row['callable']}({argument}).Process(target=lambda: 1)\n")
            assert not any(each.confidence is Confidence.PROVEN for each in found.values())
    assert [*findings(f"{start}{row['callable']}('spawn').Process(target=lambda: 1)\n")] == [2]


@pytest.mark.parametrize("row", rows("starter"))
def test_what_sets_the_start_method(row: dict[str, Any]) -> None:
    argument = "'forkserver'" if row.get("parameter") else "'pytorch'"
    loader = "torch.utils.data.DataLoader(lambda: 1, num_workers=2)"
    source = f"{imported(row['callable'])}\nimport torch.utils.data\n{{}}\n{loader}\n"
    method = row.get("method") or "forkserver"
    found = findings(source.format(f"{row['callable']}({argument})"))
    assert f"as {method} is set at a.py:3" in found[4].trace[-1].what
    assert "is set at" not in findings(source.format(""))[4].trace[-1].what
    if row.get("parameter"):
        named = findings(source.format(f"{row['callable']}({row['parameter']}={argument})"))
        assert named[4].trace[-1].what == found[4].trace[-1].what


METHODS = [row for row in rows("carrier") if "()." in row.values[0]["callable"]]
CARRIERS = [row for row in rows("carrier") if row not in METHODS]


@each_row("row", CARRIERS)
def test_what_keeps_its_arguments(row: dict[str, Any]) -> None:
    name = row["callable"]
    keeps = name.rpartition(".")[2][:1].isupper() or name in MAKERS
    made = name if keeps else f"{name}.thing"
    arguments = MAKERS.get(name, "{}")
    module = imported(f"{made}.x" if not keeps else made)
    found = findings(f"{module}\nimport pickle\npickle.dumps({made}({arguments.format('lambda: 1')}))\n")
    assert [*found] == [3] and found[3].confidence is Confidence.PROVEN
    assert not findings(
        f"import unknown\nimport pickle\npickle.dumps(unknown.thing({arguments.format('lambda: 1')}))\n"
    )


MAKERS = {  # rows that are functions, or make a list of what they are called with
    "functools.partial": "{}",
    "torch.utils.data.random_split": "{}, [1, 2]",
    "collections.defaultdict": "{}",
    "itertools.chain": "[{}]",
    "torch.utils.data.ConcatDataset": "[{}]",
}


@pytest.mark.parametrize("row", [row for row in CARRIERS if row.values[0].get("fluent")])
def test_methods_give_back_what_keeps_their_arguments(row: dict[str, Any]) -> None:
    name = row["callable"]
    found = findings(f"import {name}\nimport pickle\npickle.dumps({name}.thing().map(lambda: 1).batched(2))\n")
    assert [*found] == [3] and found[3].confidence is Confidence.PROVEN


@each_row("row", METHODS)
def test_methods_that_give_back_their_object(row: dict[str, Any]) -> None:
    base, _, method = row["callable"].partition("().")
    source = (
        f"{imported(base)}\nimport pickle\nclass Net({base}):\n    def __init__(self, act):\n        self.act = act\n"
        "pickle.dumps(Net(lambda: 1).{}())\n"
    )
    assert findings(source.format(method))[6].confidence is Confidence.PROVEN
    assert findings(source.format("strange"))[6].confidence is Confidence.POSSIBLE


@each_row("row", rows("harmless"))
def test_what_is_never_pickled_plainly(row: dict[str, Any]) -> None:
    """Neither what is handed over, nor what a class of it may keep."""
    name = row["callable"]
    source = "{}\nimport pickle\npickle.dumps({}.Thing(lambda: 1))\n"
    kept = "class Kept:\n    def __init__(self):\n        self.x = {}.Thing(lambda: 1)\npickle.dumps(Kept())\n"
    assert not findings(source.format(imported(f"{name}.Thing"), name) + kept.format(name))
    assert [*findings("import unknown\nimport pickle\n" + kept.format("unknown"))] == [5]


@pytest.mark.parametrize("row", rows("carried", "base"))
def test_objects_that_are_sent(row: dict[str, Any]) -> None:
    base = row["base"].replace("*", "strange.Special")
    found = findings(f"{imported(base)}{KEEPS_A_LAMBDA.format(base)}")
    alone = Confidence.POSSIBLE if row.get("needs_boundary") else Confidence.LIKELY
    assert [*found] == [4] and found[4].confidence is alone
    assert row["what"] in found[4].trace[-1].what
    other = findings(f"import strange{KEEPS_A_LAMBDA.format('strange.Thing')}")
    assert [each.confidence for each in other.values()] == [Confidence.POSSIBLE]


@each_row("row", rows("burden", "prefix"))
def test_what_must_not_be_pickled_along(row: dict[str, Any]) -> None:
    """A lambda that reads `self` becomes a method, but not where `self` brings such an object along."""
    name = row["prefix"]
    made = name if "." in name or name == "open" else f"{name}.Thing"
    source = textwrap.dedent("""\
        import torch.utils.data
        {}
        class Runner:
            def __init__(self, k):
                self.k = k
                self.other = {}
            def load(self):
                return torch.utils.data.DataLoader([1], num_workers=2, collate_fn=lambda b: (b, self.k))
        """)
    if name in ("torch.nn", "torch.optim", "torch.utils.tensorboard", "concurrent.futures"):
        made = f"{name}.Thing"
    module = "" if name == "open" else imported(made)
    fix = findings(source.format(module, f"{made}(k)"))[8].fix
    plain = findings(source.format(module, "k"))[8].fix
    assert fix is not None and fix.title.endswith("as `_load_collate_fn` to module level")
    assert plain is not None and plain.title.endswith("as `self._load_collate_fn` to the class")
