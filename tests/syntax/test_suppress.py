"""Comments that silence findings: where one may stand in Python and in other text, whom it names, what it covers."""

from __future__ import annotations

from codemods.finding import Confidence, Finding, Span
from codemods.syntax.suppress import ignored, suppressions
from codemods.tree.source import Source
from harness.each_row import each_row

ALL: tuple[str, ...] = ()


@each_row(
    "path, text, expected",
    [
        ("a.py", "x = 1  # spawnfix: ignore\n", [(1, ALL, (1,))]),
        ("a.py", "x = 1  #spawnfix:ignore\n", [(1, ALL, (1,))]),
        ("a.py", "x = 1  # spawnfix: IGNORE\n", [(1, ALL, (1,))]),
        ("a.py", "x = 1  # noqa  # spawnfix: ignore [one] because\n", [(1, ("one",), (1,))]),
        ("a.py", "x = 1  # spawnfix: ignore[one, two ,,three,]\n", [(1, ("one", "two", "three"), (1,))]),
        ("a.py", "x = 1  # spawnfix: ignore[]\n", [(1, ALL, (1,))]),
        ("a.py", "x = 1  # spawnfix: ignored\n", []),
        ("a.py", "x = 1  # spawnfix ignore\n", []),
        ("a.py", "x = '# spawnfix: ignore'\n", []),
        ("a.py", "# spawnfix: ignore\nx = 1\n", [(1, ALL, (1,))]),
        ("a.py", "x = (  # spawnfix: ignore[one]\n    1)  # spawnfix: ignore[two]\n",
         [(1, ("one",), (1,)), (2, ("two",), (2,))]),
        ("a.py", "x = 1  # spawnfix: ignore\nx = (\n", [(1, ALL, (1,))]),
        ("a.py", "x = 1  # spawnfix: ignore\n  y = '\n", [(1, ALL, (1,))]),
        ("run.sh", "run # spawnfix: ignore\n", [(1, ALL, (1,))]),
        ("run.sh", "# spawnfix: ignore\nrun\n", [(1, ALL, (1, 2))]),
        ("run.sh", "  # spawnfix: ignore[one]\nrun\n", [(1, ("one",), (1, 2))]),
        ("run.sh", "run\t# spawnfix: ignore\n", [(1, ALL, (1,))]),
        ("run.sh", "run;# spawnfix: ignore\n", [(1, ALL, (1,))]),
        ("run.sh", "run &# spawnfix: ignore\n", [(1, ALL, (1,))]),
        ("run.sh", "run |# spawnfix: ignore\n", [(1, ALL, (1,))]),
        ("run.sh", "(# spawnfix: ignore\n", [(1, ALL, (1,))]),
        ("run.sh", "(run)# spawnfix: ignore\n", [(1, ALL, (1,))]),
        ("run.sh", "run a# spawnfix: ignore\n", []),
        ("run.sh", "run '# spawnfix: ignore'\n", []),
        ("run.sh", 'run "# spawnfix: ignore"\n', []),
        ("run.sh", "run \"it's\" # spawnfix: ignore\n", [(1, ALL, (1,))]),
        ("run.sh", "run 'a \" b' # spawnfix: ignore\n", [(1, ALL, (1,))]),
        ("run.sh", "run it\\'s # spawnfix: ignore\n", [(1, ALL, (1,))]),
        ("run.sh", 'run "a \\" b" # spawnfix: ignore\n', [(1, ALL, (1,))]),
        ("run.sh", "run 'a \\' # spawnfix: ignore\n", [(1, ALL, (1,))]),
        ("run.sh", "run \\# spawnfix: ignore # spawnfix: ignore[one]\n", [(1, ("one",), (1,))]),
        ("run.sh", "run # one # spawnfix: ignore\n", [(1, ALL, (1,))]),
        ("run.sh", "run\nrun # spawnfix: ignore\nrun # spawnfix: ignore[one]\n",
         [(2, ALL, (2,)), (3, ("one",), (3,))]),
    ],
)  # fmt: skip
def test_comments(path: str, text: str, expected: list[tuple[int, tuple[str, ...], tuple[int, ...]]]) -> None:
    found = suppressions(Source(path, text))
    assert [(each.line, each.rules, each.covers) for each in found] == expected
    assert all(each.path == path for each in found)


def at(path: str, first: int, last: int, rule: str = "one") -> Finding:
    return Finding(rule, path, Span(first, 0, last, 1), "a message", Confidence.LIKELY, reason="a reason")


@each_row(
    "comment, first, last, silent",
    [
        ("ignore", 2, 2, True),
        ("ignore", 1, 2, True),
        ("ignore", 2, 3, True),
        ("ignore", 1, 3, False),
        ("ignore", 1, 1, False),
        ("ignore", 3, 3, False),
        ("ignore[one]", 2, 2, True),
        ("ignore[two, one]", 2, 2, True),
        ("ignore[two]", 2, 2, False),
        ("ignore[on]", 2, 2, False),
    ],
)
def test_what_a_comment_silences(comment: str, first: int, last: int, silent: bool) -> None:
    [found] = suppressions(Source("a.py", f"x = 1\ny = 1  # spawnfix: {comment}\nz = 1\n"))
    assert found.silences(at("a.py", first, last)) == silent


@each_row(
    "path, text, first, last, after",
    [
        ("a.py", "x = 1\ny = 1\n", 1, 1, "x = 1  # spawnfix: ignore[one]\ny = 1\n"),
        ("a.py", "x = 1\ny = 1", 2, 2, "x = 1\ny = 1  # spawnfix: ignore[one]"),
        ("a.py", "x = 1  # noqa\n", 1, 1, "x = 1  # noqa  # spawnfix: ignore[one]\n"),
        ("a.py", "x = 1  # spawnfix: ignore[two]\n", 1, 1, "x = 1  # spawnfix: ignore[two, one]\n"),
        ("a.py", "x = 1  # spawnfix: ignore[]\n", 1, 1, "x = 1  # spawnfix: ignore[one]\n"),
        ("a.py", "x = 1  # spawnfix: ignore[ ]\n", 1, 1, "x = 1  # spawnfix: ignore[ one]\n"),
        ("a.py", "x = '''\n'''\n", 1, 2, "x = '''\n'''  # spawnfix: ignore[one]\n"),
        ("a.py", "x = '''\na\n'''\n", 2, 2, None),
        ("a.py", "x = 1 + \\\n    1\n", 1, 2, "x = 1 + \\\n    1  # spawnfix: ignore[one]\n"),
        ("a.py", "x = 1 + \\\n    1\n", 1, 1, None),
        ("run.sh", "run \\\n  a\n", 1, 2, "run \\\n  a  # spawnfix: ignore[one]\n"),
        ("run.sh", "run \\\n  a\n", 1, 1, None),
        ("run.sh", "run a\n", 1, 1, "run a  # spawnfix: ignore[one]\n"),
        ("run.sh", "run 'a\nb'\n", 1, 2, None),
    ],
)
def test_a_comment_that_is_added(path: str, text: str, first: int, last: int, after: str | None) -> None:
    source = Source(path, text)
    edit = ignored(source, at(path, first, last))
    assert (source.apply([edit]) if edit is not None else None) == after
