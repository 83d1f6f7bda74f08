"""The questions of `migrate --interactive` in this process: keys from a list, what is shown as text."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from dataclasses import replace
from types import SimpleNamespace

import pytest
from rich.console import Console
from test_decisions import CONFIG, TRAIN

from codemods.commands.selected import Choices, selected
from codemods.delivery.target import Target
from codemods.engine.migrate import plan
from codemods.engine.selection import Selector
from codemods.engine.units import Units
from codemods.problem import Problem
from codemods.review.decisions import Decisions
from codemods.review.interactive import EDIT_HELP, HELP, Interview, Keyboard
from codemods.review.model import Review, review_of
from codemods.review.patch_text import BadPatch, edits_of_patch, patch_text
from codemods.settings import Settings
from codemods.transforms import rules
from codemods.tree.files import MemoryFiles

ASK = "Make this change? [y,n,a,d,A,D,s,u,t,c,e,/,q,?] "
ALONE = "Nothing to change. [u: undo, r: ask again about all, other keys: end] "


@pytest.fixture(scope="module")
def whole() -> tuple[Review, Selector]:
    files = MemoryFiles({"train.py": TRAIN.encode(), "config.py": CONFIG.encode()})
    units = Units(plan(files, Settings()))
    return review_of(units, files), Selector(units, files, Settings(), "", rules())


class Asked:
    """One interview: `keys` are pressed one after the other, `lines` and `edits` are answers to what they ask."""

    def __init__(
        self,
        whole: tuple[Review, Selector],
        keys: Iterable[str],
        lines: Iterable[str | None] = (),
        edit: Callable[[str], str | None] = lambda text: None,
        decisions: Decisions | None = None,
    ) -> None:
        left, typed, self.edited = list(keys), list(lines), list[str]()
        self.saved: list[Decisions] = []
        out = io.StringIO()

        def edits(text: str) -> str | None:
            self.edited.append(text)
            return edit(text)

        keyboard = Keyboard(lambda: left.pop(0), lambda question: typed.pop(0), edits)
        console = Console(file=out, width=100, color_system=None)
        self.interview = Interview(*whole, decisions or Decisions(), keyboard, console, self.saved.append)
        self.applies = self.interview.run()
        assert not left and not typed
        self.review, self.text = whole[0], out.getvalue()

    @property
    def choices(self) -> str:
        """A letter for each change: accepted, rejected, undecided."""
        return "".join(self.interview.decisions.of(change).choice.value[0] for change in self.review.changes)

    def says(self, *lines: str) -> bool:
        shown = self.text.splitlines()
        return all(line in shown for line in lines)


@pytest.mark.parametrize(
    ("keys", "choices", "applies", "saves"),
    [
        ("q", "uuu", False, 0),
        ("yyyy", "aaa", True, 3),
        ("yyyn", "aaa", False, 3),
        ("yyyq", "aaa", False, 3),
        ("yyyxn", "aaa", False, 3),
        ("nnnx", "rrr", False, 3),
        ("nnny", "rrr", False, 3),
        ("nyny", "rar", True, 3),
        ("yq", "auu", False, 1),
        ("sssx", "uuu", False, 0),
        ("yssy", "auu", True, 1),
        ("ssyy", "uua", True, 1),
        ("aay", "aaa", True, 2),
        ("ndx", "rrr", False, 2),
        ("nay", "raa", True, 2),
        ("snay", "ura", True, 2),
        ("nAy", "raa", True, 2),
        ("yDn", "arr", False, 2),
        ("Ayyn", "aaa", False, 3),
        ("uq", "uuu", False, 0),
        ("yuq", "uuu", False, 2),
        ("yyuq", "auu", False, 3),
        ("yyyuyn", "aaa", False, 5),
        ("yyyunn", "aar", False, 5),
        ("nnnuyy", "rra", True, 5),
        ("yyyrq", "uuu", False, 4),
        ("yyyrnnnx", "rrr", False, 7),
        ("nnnrq", "uuu", False, 4),
        ("yyyly", "aaa", True, 3),
        ("tcq", "uuu", False, 0),
        ("?q", "uuu", False, 0),
        ("xq", "uuu", False, 0),
        ("\x04", "uuu", False, 0),
        ("\x1a", "uuu", False, 0),
        ("\tq", "uuu", False, 0),
    ],
)
def test_keys(whole: tuple[Review, Selector], keys: str, choices: str, applies: bool, saves: int) -> None:
    asked = Asked(whole, keys)
    assert (asked.choices, asked.applies, len(asked.saved)) == (choices, applies, saves)
    if saves:
        assert asked.saved[-1] == asked.interview.decisions


def test_the_end_of_the_input_and_keys_without_a_character(whole: tuple[Review, Selector]) -> None:
    assert Asked(whole, [""]).choices == "uuu"
    asked = Asked(whole, ["\x1b[A", "q"])
    assert HELP in asked.text and asked.choices == "uuu"
    assert HELP in Asked(whole, "?q").text and HELP not in Asked(whole, "q").text


def test_what_is_shown(whole: tuple[Review, Selector]) -> None:
    asked = Asked(whole, "ysq")
    first, second, third = [part.splitlines() for part in asked.text.split(ASK)[:3]]
    fill = "─" * (80 - len("── dict-views 1 of 3, 3 to decide ") - len(" proven safe ──"))
    assert first[0] == f"── dict-views 1 of 3, 3 to decide {fill} proven safe ──"
    assert first[1] == "config.py:6  in Config.__init__"
    assert first[2].startswith("  why: ") and first[3].startswith("  fix: ")
    assert first[4] == "config.py" and first[5].startswith("@@ -3,7 +3,7 @@")
    assert [line for line in first if line[:1] in "+-" and line[:2] != "──"] == [
        "-        self.names = ranges.keys()", "+        self.names = list(ranges.keys())"
    ]  # fmt: skip
    assert second[0] == "y" and second[1].startswith("── lambdas 2 of 3, 2 to decide ")
    assert third[0] == "s" and third[1].startswith("── lambdas 3 of 3, 2 to decide ")
    assert Asked(whole, "yyq").text.split(ASK)[2].splitlines()[1].startswith("── lambdas 3 of 3 ─")
    assert asked.text.endswith(f"{ASK}q\n")


def test_the_questions_at_the_end(whole: tuple[Review, Selector]) -> None:
    ask = "Make {} now? [y: yes, n: not now, u: undo, r: ask again about all, l: list] "
    asked = Asked(whole, "yyyn")
    assert asked.says("All asked: 3 accepted.", ask.format("these 3 changes") + "n")
    asked = Asked(whole, "nysn")
    assert asked.says("All asked: 1 accepted, 1 rejected, 1 undecided.", ask.format("this change") + "n")
    assert Asked(whole, "nnnx").says("All asked: 3 rejected.", f"{ALONE}x")
    asked = Asked(whole, "nysly")
    assert asked.says(
        "  rejected   config.py:6  dict-views", "  accepted   train.py:9  lambdas", "  undecided  train.py:13  lambdas"
    )


def test_several_at_once_are_counted(whole: tuple[Review, Selector]) -> None:
    assert Asked(whole, "nay").says("2 changes accepted")
    assert Asked(whole, "ndx").says("2 changes rejected")
    assert "changes accepted" not in Asked(whole, "yq").text
    assert Asked(whole, "uq").says("nothing to undo")


def test_traces_and_more_lines(whole: tuple[Review, Selector]) -> None:
    asked = Asked(whole, "tq")
    hops = asked.review.changes[0].trace
    assert hops
    for number, hop in enumerate(hops, 1):
        assert f"  {number}. {hop.path}:{hop.line} {hop.what}" in asked.text
    short, long, longer = (Asked(whole, keys).text.split(ASK) for keys in ("q", "cq", "ccq"))
    assert "if __name__" not in short[0] and len(long[1].splitlines()) > len(short[0].splitlines()) - 4
    assert '     save({"near": 1})' in long[1].splitlines()
    assert longer[2].splitlines()[1:] == long[1].splitlines()[1:]  # all there is


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("worker_init", "── lambdas 3 of 3"),
        ("WORKER_INIT", "── lambdas 3 of 3"),
        ("lambdas", "── lambdas 2 of 3"),
        ("train.py", "── lambdas 2 of 3"),
        ("ranges.keys", "── dict-views 1 of 3"),
    ],
)
def test_search(whole: tuple[Review, Selector], typed: str, shown: str) -> None:
    asked = Asked(whole, "/q", [typed])
    assert asked.text.split(ASK)[1].splitlines()[1].startswith(shown)


def test_a_search_that_finds_nothing(whole: tuple[Review, Selector]) -> None:
    asked = Asked(whole, "/q", ["no such text"])
    assert asked.says("nothing with 'no such text'")
    assert asked.text.count(" 1 of 3") == Asked(whole, "q").text.count(" 1 of 3") == 1  # it is not shown again
    assert "nothing with" not in Asked(whole, "/q", [None]).text


def test_an_edited_change(whole: tuple[Review, Selector]) -> None:
    change = whole[0].changes[0]
    patch = patch_text(change.hunks)
    asked = Asked(whole, "eq", edit=lambda text: text.replace("list(ranges.keys())", "sorted(ranges)"))
    assert asked.edited == [EDIT_HELP + patch]
    assert asked.choices == "auu" and asked.says("the edited change passes the checks and is accepted")
    assert asked.interview.decisions.of(change).edit == patch.replace("list(ranges.keys())", "sorted(ranges)")
    again = Asked(whole, "eq", decisions=asked.interview.decisions, edit=lambda text: "")
    assert again.says("not edited")


def test_where_nothing_is_decided_there_is_nothing_to_undo(whole: tuple[Review, Selector]) -> None:
    asked = Asked(whole, "sssux")
    assert asked.says("nothing to undo") and asked.text.count(ALONE) == 2, "it asks again"


def test_a_change_that_builds_on_another(whole: tuple[Review, Selector]) -> None:
    first, second, third = whole[0].changes
    built = replace(whole[0], changes=(first, replace(second, requires=(first.id,)), third)), whole[1]
    assert Asked(built, "syq").choices == "aau", "to take it means to take what it builds on"
    assert Asked(built, "snq").choices == "uru"
    assert Asked(built, "nq").choices == "ruu" and Asked(built, "nyn").choices == "rua", "nobody is asked about it"
    alone = Asked(built, "secq", edit=lambda text: text.replace("+", "+ "))
    assert alone.says("no more lines: this change builds on another one")
    assert "the edited change can't be made: this change builds on another one" in alone.text
    edited = Asked(built, "eyq", edit=lambda text: text.replace("list(ranges.keys())", "sorted(ranges)"))
    assert edited.choices == "aau" and "sorted(ranges)" in edited.interview.decisions.of(first).edit


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda text: None, "not edited"),
        (lambda text: " \n", "not edited"),
        (lambda text: text, "not edited"),
        (lambda text: "# more\n" + text, "not edited"),
        (
            lambda text: text.replace("list(ranges.keys())", "list(ranges.keys()"),
            "the edited change can't be made: ",
        ),
        (
            lambda text: text.replace(" class Config:", " class Other:"),
            "the edited change can't be made: line 5 of the patch is not line 4 of config.py: class Other:",
        ),
    ],
    ids=["given up", "empty", "the same", "a comment", "wrong", "another line"],
)
def test_an_edit_that_is_not_made(whole: tuple[Review, Selector], edit: Callable[[str], str | None], said: str) -> None:
    asked = Asked(whole, "eq", edit=edit)
    assert asked.choices == "uuu" and not asked.saved
    assert any(line.startswith(said) for line in asked.text.splitlines()), asked.text


# patches


HEAD = "--- a/config.py\n+++ b/config.py\n"
OLD = "@@ -6,1 +6,1 @@\n-        self.names = ranges.keys()\n"


def after(whole: tuple[Review, Selector], patch: str) -> dict[str, str]:
    review = whole[0]
    edits = edits_of_patch(patch, review.changes[0], review.sources)
    return {path: review.sources[path].apply(each) for path, each in edits.items()}


@pytest.mark.parametrize(
    ("patch", "old", "new"),
    [
        (HEAD + OLD + "+        self.names = 3\n", "ranges.keys()", "3"),
        ("# a comment\n\n" + HEAD + OLD + "+        self.names = 3\n", "ranges.keys()", "3"),
        (HEAD + "@@ -6 +6 @@\n-        self.names = ranges.keys()\n+        self.names = 3\n", "ranges.keys()", "3"),
        (HEAD + "@@ -6,9 +6,7 @@ class\n" + OLD.partition("\n")[2] + "+        self.names = 3\n", "ranges.keys()", "3"),
        (HEAD + OLD, "        self.names = ranges.keys()\n", ""),
        (HEAD + OLD.replace("-    ", "     ") + "+        x = 1\n", "keys()\n", "keys()\n        x = 1\n"),
        (HEAD + OLD.replace("-    ", "     ") + "\n", "", ""),
        (HEAD + "@@ -6,0 +7 @@\n+        x = 1\n", "keys()\n", "keys()\n        x = 1\n"),
        (HEAD + "@@ -0,0 +1 @@\n+# first\n", "import pickle\n", "# first\nimport pickle\n"),
        (HEAD + '@@ -14 +14 @@\n-    save({"near": 1})\n+    save({})\n\\ No newline at end of file\n',
         '    save({"near": 1})\n', "    save({})"),
        (HEAD + '@@ -14 +14 @@\n-    save({"near": 1})\n\\ No newline at end of file\n+    save({})\n',
         '    save({"near": 1})\n', "    save({})\n"),
        (HEAD + "@@ -1 +1 @@\n-import pickle\n+import json\n@@ -6,1 +6,1 @@\n         self.names = ranges.keys()\n",
         "import pickle", "import json"),
    ],
)  # fmt: skip
def test_what_a_patch_stands_for(whole: tuple[Review, Selector], patch: str, old: str, new: str) -> None:
    assert old in CONFIG
    assert after(whole, patch) == {"config.py": CONFIG.replace(old, new, 1)}


@pytest.mark.parametrize(
    ("patch", "why"),
    [
        (OLD, "line 1 of the patch: a hunk without a file"),
        ("hello\n", "line 1 of the patch is neither a comment nor a hunk: hello"),
        ("--- a/other.py\n", "line 1 of the patch: the change has no file other.py"),
        (HEAD + "@@ -99 +99 @@\n", "line 3 of the patch: the hunks of config.py are not in order, or beyond its end"),
        (HEAD + OLD + "@@ -1 +1 @@\n",
         "line 5 of the patch: the hunks of config.py are not in order, or beyond its end"),
        (HEAD + OLD + "*x\n", 'line 5 of the patch starts with none of " ", "-", "+": *x'),
        (HEAD + "@@ -6,1 +6,1 @@\n-x\n", "line 4 of the patch is not line 6 of config.py: x"),
        (HEAD + "@@ -6,1 +6,1 @@\n x\n", "line 4 of the patch is not line 6 of config.py: x"),
        (HEAD + '@@ -14 +14 @@\n     save({"near": 1})\n more\n',
         "line 5 of the patch is not line 15 of config.py: more"),
    ],
)  # fmt: skip
def test_what_is_no_patch(whole: tuple[Review, Selector], patch: str, why: str) -> None:
    with pytest.raises(BadPatch) as raised:
        after(whole, patch)
    assert str(raised.value) == why


def test_a_patch_says_each_file_once(whole: tuple[Review, Selector]) -> None:
    hunks = [hunk for change in whole[0].changes for hunk in change.hunks]
    text = patch_text(hunks)
    assert [line for line in text.splitlines() if line.startswith(("--- ", "+++ "))] == [
        "--- a/config.py", "+++ b/config.py", "--- a/train.py", "+++ b/train.py"
    ]  # fmt: skip
    assert text.count("@@ -") == len(hunks) and text.endswith("\n")
    for change in whole[0].changes:
        review = whole[0]
        edits = edits_of_patch(patch_text(change.hunks), change, review.sources)
        assert set(edits) == set(change.paths)


@pytest.mark.parametrize(("keys", "shown"), [(True, False), (False, True), (False, False)])
def test_nobody_is_asked_where_keys_or_the_question_do_not_go_to_a_terminal(
    keys: bool, shown: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(isatty=lambda: keys))
    monkeypatch.setattr("sys.stderr", SimpleNamespace(isatty=lambda: shown))
    files = MemoryFiles({"train.py": TRAIN.encode()})
    where = Target(files, "")
    with pytest.raises(Problem, match="asks at a terminal"):
        selected(plan(files, Settings()), where, Settings(), rules(), Choices(interactive=True))
