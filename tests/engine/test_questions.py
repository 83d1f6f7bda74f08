"""Questions of rules whose answers are kept: asked again when what was read for them changed, and only then."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from codemods.engine.after_change import AfterChange
from codemods.engine.look_cache import LookCache
from codemods.engine.migrate import check
from codemods.engine.report_cache import ReportCache
from codemods.engine.results import Report
from codemods.engine.run import Run
from codemods.flow.facts import cache as facts_cache
from codemods.project import Project
from codemods.questions import ask_again, asked
from codemods.reads import PLAIN, Answered, Changed, Reads
from codemods.rule import Rule
from codemods.settings import Settings
from codemods.transforms.main_guard.screen import PARTS, WORDS
from codemods.transforms.main_guard.starts.may_start import SPEAKS, STARTS, spoken
from codemods.tree.directory import DirectoryFiles, Selected
from codemods.tree.files import MemoryFiles

BEFORE = {"a.py": "x = 1\n", "b.py": "def f():\n    return 1\n"}
_RUNS: list[str] = []


@asked
def first_word(project: Project, path: str) -> str:
    _RUNS.append(path)
    source = project.source(path)
    return source.text.split()[0] if source is not None else ""


@asked
def all_words(project: Project) -> tuple[str, ...]:
    _RUNS.append("all")
    return tuple(first_word(project, path) for path in project.python_paths)


@asked
def defined(project: Project, path: str) -> tuple[str, ...]:
    source = project.source(path)
    return tuple(re.findall(r"def (\w+)", source.text)) if source is not None else ()


@pytest.fixture(autouse=True)
def runs() -> Iterator[list[str]]:
    _RUNS.clear()
    yield _RUNS


def project_of(texts: dict[str, str]) -> Project:
    return Project(MemoryFiles({path: text.encode() for path, text in texts.items()}))


@pytest.fixture
def kept_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The texts of before are at hand, as those of files whose facts are kept: here each is its own id."""
    monkeypatch.setattr(facts_cache, "content", lambda text: text.encode() or None)


def after(texts: dict[str, str], answers: dict[tuple[object, ...], Answered]) -> tuple[Project, AfterChange]:
    """The project with other texts than BEFORE, and what is known of it from the run before."""
    now = project_of(texts)
    return now, AfterChange(now, BEFORE, texts, (), answers)


def test_a_question_is_answered_once_and_who_asks_reads_no_text(runs: list[str]) -> None:
    project, reads = project_of(BEFORE), Reads()
    with project.noting(reads):
        assert all_words(project) == ("x", "def")
        assert all_words(project) == ("x", "def")
    assert runs == ["all", "a.py", "b.py"]
    assert reads == Reads(asked={(all_words.name,)})
    assert project.asked[all_words.name,].reads == Reads(asked={(first_word.name, "a.py"), (first_word.name, "b.py")})
    assert project.asked[first_word.name, "a.py"].reads == Reads(texts={"a.py"})


@pytest.mark.usefixtures("kept_texts")
@pytest.mark.parametrize(
    ("text", "concerned", "again"),
    [("x = 2\n", False, ["a.py"]), ("y = 1\n", True, ["a.py", "all"]), ("x = 1\n", False, [])],
)
def test_only_another_answer_concerns_who_asked(text: str, concerned: bool, again: list[str], runs: list[str]) -> None:
    before = project_of(BEFORE)
    all_words(before)
    runs.clear()
    now, change = after({**BEFORE, "a.py": text}, before.asked)
    assert change.concerns_findings((), Reads(asked={(all_words.name,)})) is concerned
    assert runs == again
    assert all_words(now) == (text.split()[0], "def")
    assert runs == again  # what was found out to compare is not found out again


def test_a_question_that_was_never_answered_concerns_who_depends_on_it() -> None:
    _, change = after(BEFORE, {})
    assert change.concerns_findings((), Reads(asked={(all_words.name,)}))


def test_only_questions_of_ours_are_asked_again() -> None:
    project = project_of(BEFORE)
    for name in ("os:getcwd", "builtins:print", "transforms.lambdas.rule:find", "flow.boundaries:table"):
        with pytest.raises(LookupError):
            ask_again(project, (name,))
    assert ask_again(project, ("transforms.main_guard.starts.may_start:spoken", "a.py")) == ()


@pytest.mark.parametrize(
    ("text", "concerned"),
    [("x = 2\n", False), ("x = 1; rank\n", True), ("y = 1\n", True)],
)
def test_a_look_for_a_text_in_one_file_depends_on_the_outcome_alone(text: str, concerned: bool) -> None:
    project, reads = project_of(BEFORE), Reads()
    with project.noting(reads):
        assert not project.holds("a.py", "rank")
        assert project.holds("a.py", re.compile(r"^x\b"))
        assert not project.holds("gone.py", "rank")
    assert reads.probes["a.py"] == {("rank", PLAIN): False, (r"^x\b", int(re.UNICODE)): True}
    assert not reads.texts
    assert reads.concerned_by(Changed("a.py", text, before=BEFORE["a.py"])) is concerned
    assert not reads.concerned_by(Changed("b.py", text, before=BEFORE["b.py"]))
    assert reads.concerned_by(Changed("gone.py", "rank"))


@pytest.mark.usefixtures("kept_texts")
@pytest.mark.parametrize(
    ("path", "text", "concerned"),
    [
        ("b.py", "def f(x):\n    return x\n", False),
        ("b.py", "def g():\n    return 1\n", True),
        ("a.py", "def g(): ...\n", False),
        ("a.py", "def f(): ...\n", True),
    ],
)
def test_files_with_a_key_matter_where_they_have_it_no_more_or_newly(path: str, text: str, concerned: bool) -> None:
    project, reads = project_of(BEFORE), Reads()
    with project.noting(reads):
        assert project.with_key(defined, "f") == ("b.py",)
        assert project.with_key(defined, "h") == ()
    assert reads == Reads(keys={(defined.name, "f"): ("b.py",), (defined.name, "h"): ()})
    _, change = after({**BEFORE, path: text}, project.asked)
    assert change.concerns_findings((), reads) is concerned


def test_every_word_of_main_guard_has_one_of_the_parts_that_are_looked_for_first() -> None:
    for word in re.sub(r"\\b|\\w\*|\[dD\]|_\?", "", WORDS).split("|"):
        assert any(part in word for part in PARTS), word
    files = {
        "a.py": "create_loader()\n",
        "b.py": 'if __name__ == "__main__":\n    x()\n',
        "c.py": "num_of_workers = 2\n",
    }
    project = project_of({**files, "d.py": "workers = load()\n", "e.py": f"num_workers = {PARTS!r}\n"})
    assert project.with_key(spoken, STARTS) == ("a.py", "c.py", "e.py")
    assert project.with_key(spoken, SPEAKS) == ("a.py", "b.py", "c.py", "e.py")


# whole runs

FILES = {
    "train.py": "import argparse\nfrom torch.utils.data import DataLoader\n"
    "from data import Data\nfrom helpers import key\n\n"
    "parser = argparse.ArgumentParser()\nparser.add_argument('--local_rank', type=int, default=-1)\n"
    "args = parser.parse_args()\nprint(args.local_rank)\n"
    "for batch in DataLoader(Data({}), num_workers=2):\n    print(key(batch))\n",
    "data.py": "from base import Locked\n\n\nclass Data(Locked):\n    def __init__(self, table):\n"
    "        super().__init__()\n        self.names = list(table)\n",
    "base.py": "import threading\nfrom torch.utils.data import Dataset\n\n\nclass Locked(Dataset):\n"
    "    def __init__(self):\n        self.lock = threading.Lock()\n",
    "helpers.py": "def key(batch):\n    return batch\n",
    "other.py": "class Other:\n    def __init__(self, size):\n        self.size = size\n",
    "run.sh": "python -m torch.distributed.launch --nproc_per_node=2 train.py\n",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SPAWNFIX_CACHE_DIR", str(tmp_path / "cache"))
    folder = tmp_path / "repository"
    folder.mkdir()
    for path, text in FILES.items():
        (folder / path).write_text(text)
    return folder


def warm(folder: Path) -> Report:
    cache = ReportCache(Selected(DirectoryFiles(folder)), ("flags",))
    return check(cache.files, Settings(cache=True), memory=cache.looks(Settings(cache=True)))


def cold(folder: Path) -> Report:
    return check(Selected(DirectoryFiles(folder)), Settings())


BOTH = {"dist-launcher", "unpicklable-attributes"}


@pytest.mark.parametrize(
    ("path", "more", "again"),
    [
        ("helpers.py", "\n\ndef unused(values):\n    return [value for value in values]\n", set()),
        ("other.py", "\n\ndef unused(values):\n    return [value for value in values]\n", set()),
        ("other.py", "\n    def clear(self):\n        self.size = 0\n", set()),
        ("helpers.py", "\n\ndef rank(args):\n    return args.local_rank\n", {"dist-launcher"}),
        ("helpers.py", "import other\n", {"dist-launcher"}),
        ("base.py", "        self.file = open('a')\n", {"unpicklable-attributes"}),
        ("other.py", "\n\nclass Data:\n    pass\n", {"unpicklable-attributes"}),
    ],
)
def test_only_rules_run_again_that_get_another_answer(
    path: str, more: str, again: set[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = warm(folder)
    assert {finding.rule for finding in first.findings} == {"dist-launcher", "unpicklable-attributes", "main-guard"}
    ran: set[str] = set()
    look = Run.look

    def looked(self: Run, rule: Rule, project: Project, test: bool) -> object:
        ran.add(rule.id)
        return look(self, rule, project, test)

    monkeypatch.setattr(Run, "look", looked)
    (folder / path).write_text(FILES[path] + more)
    after = warm(folder)
    assert ran & BOTH == again
    monkeypatch.setattr(Run, "look", look)
    assert after == cold(folder)


def test_answers_that_are_no_answers_are_not_believed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = warm(folder)
    read = LookCache._read

    def damaged(self: LookCache, asked: object) -> object:
        blobs, looks, answers = read(self, asked)
        return blobs, looks, dict.fromkeys(answers)

    monkeypatch.setattr(LookCache, "_read", damaged)
    (folder / "other.py").write_text(FILES["other.py"] + "# noted\n")
    assert warm(folder).findings == first.findings
