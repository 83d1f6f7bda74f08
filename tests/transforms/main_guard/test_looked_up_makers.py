"""Scripts that go through the loader of an object whose class a registry gives."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import reported

REGISTRY = """\
KINDS = {}

def register(name):
    def add(cls):
        KINDS[name] = cls
        return cls
    return add

def build(name, options):
    return KINDS[name](options)

def made(name, options):
    kind = KINDS[name](options)
    return kind

def again(name, options):
    return build(name, options)
"""
KINDS = """\
from registry import register
from torch.utils.data import DataLoader

@register("a")
class First:
    def __init__(self, options):
        self.rows = options

    def loader(self):
        return DataLoader(self.rows, num_workers={workers})

    def train(self):
        for row in self.loader():
            print(row)
"""
OTHER = """
@register("b")
class Second:
    def __init__(self, options):
        self.rows = options

    def loader(self):
        return {given}

    def train(self):
        print(self.rows)
"""
SCRIPT = """\
import json
import kinds
from registry import KINDS, again, build, made

def main():
    options = json.load(open("options.json"))
    kind = {made}
    {use}

main()
"""
LOOP = "for row in kind.loader(): print(row)"


def sure(made: str, use: str, workers: int = 2, other: str = "") -> list[str]:
    files = {
        "registry.py": REGISTRY,
        "kinds.py": KINDS.format(workers=workers) + other,
        "run.py": SCRIPT.format(made=made, use=use),
    }
    return [each.confidence.value for each in reported(files, "main-guard")]


@each_row(
    ("made", "use", "found"),
    [
        ("KINDS[options['kind']](options)", LOOP, ["likely"]),
        ("build(options['kind'], options)", LOOP, ["likely"]),
        ("made(options['kind'], options)", LOOP, ["likely"]),
        ("again(options['kind'], options)", LOOP, ["likely"]),
        ("build(options['kind'], options)", "kind.train()", ["likely"]),
        ("build(options['kind'], options)", "print(kind)", []),
        ("json.build(options)", LOOP, []),
    ],
)
def test_objects_of_a_registry(made: str, use: str, found: list[str]) -> None:
    assert sure(made, use) == found


def test_a_loader_without_workers() -> None:
    assert sure("build(options['kind'], options)", LOOP, workers=0) == []


@each_row(
    ("given", "found"),
    [
        ("DataLoader(self.rows, num_workers=4)", ["likely"]),
        ("[1, 2]", []),  # whether the program takes the other one can't be told
    ],
)
def test_several_classes(given: str, found: list[str]) -> None:
    assert sure("build(options['kind'], options)", LOOP, other=OTHER.format(given=given)) == found
