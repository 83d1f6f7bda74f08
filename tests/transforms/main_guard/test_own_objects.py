"""main-guard: globals that methods of objects read which a worker makes itself, and takes out of a container."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import migrated, reported

PROGRAM = """\
import sys
from multiprocessing import Pool

WEIGHT = 10
LEAST = 3

class Node:
    def __init__(self, name):
        self.name = name
        self.children = []

    def score(self, total):
        return WEIGHT * total

{more}
def search(name):
    root = {made}
    root.children.append({made})
    if len(name) < LEAST:
        return 0
    return {best}

if __name__ == "__main__":
    WEIGHT = len(sys.argv)
    LEAST = len(sys.argv)
    pool = Pool(2)
    print(pool.map(search, ["a", "bb"]))
"""
OTHER = "class Edge:\n    def score(self, total):\n        return total\n\n"
ADDED = "    def add(self, other):\n        self.children.append(other)\n\n"
SAVED = "def save(node):\n    fill(node.children)\n\ndef fill(children):\n    children.append(sys)\n\n"
BEST = "max(root.children, key=lambda child: child.score(2)).name"


@each_row(
    ("more", "made", "best", "found"),
    [
        ("", "Node(name)", BEST, {"WEIGHT", "LEAST"}),
        (OTHER, "Node(name)", BEST, {"LEAST"}),  # it may be the method of either
        ("", "other(name)", BEST, {"LEAST"}),  # no worker makes one
        ("", "Node(name)", "sys.score(2)", {"LEAST"}),
        ("", "Node(name)", "max(root.children, key=lambda child: child.other(2)).name", {"LEAST"}),
        ("", "Node(name)", "[child.score(2) for child in root.children]", {"WEIGHT", "LEAST"}),
        ("", "Node(name)", "[child.score(2) for i, child in enumerate(root.children[:2])]", {"WEIGHT", "LEAST"}),
        ("", "Node(name)", "[n.score(2) for n in dict(a=root).values()]", {"LEAST"}),
        ("", "Node(name)", "[n.score(2) for n in {1: root}.values()]", {"WEIGHT", "LEAST"}),
        ("", "Node(name)", "[n.score(2) for k, n in {1: root}.items()]", {"WEIGHT", "LEAST"}),
        ("", "Node(name)", "[n.score(2) for n in {root: 1}]", {"LEAST"}),
        ("", "Node(name)", "[n.score(2) for n in list(root.children)]", {"WEIGHT", "LEAST"}),
        ("", "Node(name)", "[n.score(2) for n in filter(None, root.children)]", {"WEIGHT", "LEAST"}),
        ("", "Node(name)", "[n.score(2) for n in filter(root.children, [sys])]", {"LEAST"}),
        ("", "Node(name)", "[table.score(2) for table in [{}]]", {"LEAST"}),
        ("", "Node(name)", "(lambda model: model.score(2))(sys)", {"LEAST"}),
        ("", "Node(name)", "max([root], [sys], key=lambda node: node.score(2))", {"LEAST"}),
        (ADDED, "Node(name)", BEST, {"LEAST"}),  # it may be anything
        (SAVED, "Node(name)", BEST, {"LEAST"}),
        ("class Edge:\n    children = [sys]\n\nEdge.children = [sys]\n", "Node(name)", BEST, {"LEAST"}),
    ],
)
def test_what_their_methods_read(more: str, made: str, best: str, found: set[str]) -> None:
    text = PROGRAM.format(more=more, made=made, best=best)
    read = {finding.message.split("`")[3] for finding in reported({"a.py": text}, "main-guard")}
    assert read == found


def test_the_pool_hands_over_all_of_it() -> None:
    fixed = migrated({"a.py": PROGRAM.format(more="", made="Node(name)", best=BEST)}, "main-guard")["a.py"]
    assert "Pool(2, initializer=_init_worker, initargs=(LEAST, WEIGHT))" in fixed
    assert "    global LEAST, WEIGHT\n    LEAST, WEIGHT = values\n\n\nclass Node" in fixed


def test_a_parameter_may_be_an_object_of_any_class() -> None:
    text = PROGRAM.format(more="", made="Node(name)", best="rank(sys)").replace(
        "def search", "def rank(model):\n    return model.score(2)\n\ndef search"
    )
    assert [finding.message.split("`")[3] for finding in reported({"a.py": text}, "main-guard")] == ["LEAST"]
