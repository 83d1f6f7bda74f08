"""What rules found, kept between runs: after a change, the rules that it concerns run again, and no others."""

from __future__ import annotations

import contextlib
import random
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import pytest

from codemods.engine import look, look_cache, migrate, report_cache
from codemods.engine.after_change import AfterChange
from codemods.engine.migrate import check
from codemods.engine.report_cache import ReportCache
from codemods.engine.results import Report
from codemods.finding import Confidence, Finding, Refused, Span
from codemods.flow.answers import crossings
from codemods.flow.facts import cache as facts_cache
from codemods.project import Project
from codemods.reads import Changed, Reads
from codemods.settings import Settings
from codemods.syntax.tried import other_way
from codemods.transforms import rules
from codemods.transforms.main_guard import rule as main_guard
from codemods.transforms.main_guard.state.state_findings import lost_state
from codemods.transforms.unpicklable_attributes.search import handed
from codemods.tree.directory import DirectoryFiles, Selected

WARM = Settings(confidence=Confidence.POSSIBLE, cache=True)
COLD = Settings(confidence=Confidence.POSSIBLE)
FILES = {
    "train.py": "import os\nfrom torch.utils.data import DataLoader\nfrom data import Data\nfrom helpers import key\n\n"
    'local_rank = int(os.environ["LOCAL_RANK"])\n'
    "for batch in DataLoader(Data({}), num_workers=2, collate_fn=lambda batch: key(batch)):\n    print(batch)\n",
    "data.py": "import threading\nfrom torch.utils.data import Dataset\n\n\nclass Data(Dataset):\n"
    "    def __init__(self, table):\n        self.names = table.keys()\n        self.lock = threading.Lock()\n",
    "helpers.py": "def key(batch):\n    size = 1\n    return batch[:size]\n",
    "plain.py": "SIZE = 10\nNAME = 'a name'\n",
    "old.py": "class A:\n    def __init__(self, d):\n        self.k = d.keys()\n        print 'x'\n",
    "run.sh": "python -m torch.distributed.launch --nproc_per_node=2 train.py\n",
    "requirements.txt": "torch==1.8\n",
    "README.md": "How to run it: `python train.py`\n",
    "notes.md": "nothing of interest\n",
}
ALL = {"dict-views", "dist-launcher", "lambdas", "launcher-env", "main-guard", "unpicklable-attributes"}


@pytest.fixture(autouse=True)
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SPAWNFIX_CACHE_DIR", str(tmp_path / "cache"))
    return written(tmp_path / "repository", FILES)


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The rules that ran and the files that were parsed."""
    seen: list[str] = []
    find, parse = migrate.Run.findings_of, Project._parse

    def found(self: Any, rule: Any, project: Any) -> Any:
        seen.append(rule.id)
        return find(self, rule, project)

    def parsed(self: Project, path: str) -> Any:
        seen.append(path)
        return parse(self, path)

    monkeypatch.setattr(migrate.Run, "findings_of", found)
    monkeypatch.setattr(Project, "_parse", parsed)
    return seen


def warm(folder: Path, settings: Settings = WARM) -> Report:
    """As the command does it, when the whole report is not known."""
    cache = ReportCache(Selected(DirectoryFiles(folder)), ("flags",))
    report = check(cache.files, settings, memory=cache.looks(settings))
    cache.keep(report)
    return report


def cold(folder: Path) -> Report:
    return check(Selected(DirectoryFiles(folder)), COLD)


def written(folder: Path, texts: Mapping[str, str]) -> Path:
    folder.mkdir()
    for path, text in texts.items():
        (folder / path).write_text(text)
    return folder


def looked_at(folder: Path, texts: Mapping[str, str], work: list[str]) -> Path:
    """A repository of these files below `folder`, of which a warm run knows all; what that did is forgotten."""
    repository = written(folder / "workers", texts)
    warm(repository)
    work.clear()
    return repository


def test_nothing_runs_again_where_nothing_changed(repository: Path, work: list[str]) -> None:
    first = warm(repository)
    assert {finding.rule for finding in first.findings} >= ALL - {"main-guard"}
    assert set(work) >= ALL
    work.clear()
    assert warm(repository) == first
    assert work == []


@pytest.mark.slow
@pytest.mark.in_process
@pytest.mark.parametrize("path", ["run.sh", "requirements.txt", "README.md"])
def test_only_the_rules_that_read_other_files_run_again_for_those(path: str, repository: Path, work: list[str]) -> None:
    warm(repository)
    work.clear()
    (repository / path).write_text(FILES[path] + "# python -m torch.distributed.launch other.py\n")
    after = warm(repository)
    ran = {item for item in work if item in ALL}
    assert "dist-launcher" in ran
    assert not ran & {"dict-views", "lambdas", "main-guard", "unpicklable-attributes"}
    assert after == cold(repository)


def test_a_file_that_is_not_screened_counts_too(repository: Path) -> None:
    warm(repository)
    (repository / "requirements.txt").write_text("torch==2.4\n")
    assert warm(repository) == cold(repository)


def test_python_that_changes_no_fact_costs_the_rules_that_read_it(repository: Path, work: list[str]) -> None:
    warm(repository)
    work.clear()
    (repository / "plain.py").write_text("SIZE = 20\nNAME = 'b name'\n")
    after = warm(repository)
    ran = {item for item in work if item in ALL}
    assert "launcher-env" not in ran
    assert not ran & {"dict-views", "lambdas"}  # they ask for the facts of all files, and these are the same
    assert after == cold(repository)


@pytest.mark.slow
@pytest.mark.in_process
@pytest.mark.parametrize(
    "text",
    [
        "import data\n\nKEEP = lambda d: d.keys()\n",
        "def Data(table):\n    return table\n",
        "def broken(:\n",
        "SIZE = 10\nNAME = 'a name'  # spawnfix: ignore\n",
    ],
)
def test_python_that_says_something_new_is_seen(text: str, repository: Path) -> None:
    before = warm(repository)
    (repository / "plain.py").write_text(text)
    after = warm(repository)
    assert after == cold(repository)
    assert (after.skipped != before.skipped) == ("broken" in text)


@pytest.fixture
def solved(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many files each solution of the value flow was about."""
    seen: list[int] = []
    solve = crossings.solve

    def counted(facts: Any, table: Any) -> Any:
        seen.append(len(facts))
        return solve(facts, table)

    monkeypatch.setattr(crossings, "solve", counted)
    return seen


@pytest.mark.parametrize("path", ["data.py", "train.py"])
def test_lines_that_only_move_cost_no_solution(path: str, repository: Path, work: list[str], solved: list[int]) -> None:
    warm(repository)
    work.clear()
    solved.clear()
    (repository / path).write_text("# a line above\n\n" + FILES[path].replace("num_workers=2", "num_workers = 2"))
    after = warm(repository)
    assert {"unpicklable-attributes", "lambdas"} & set(work)  # they read the file, and places in it are in their traces
    assert solved == []
    assert after == cold(repository)


@pytest.mark.parametrize(
    ("number", "solutions", "boundaries"),
    [
        ("64", 0, ()),
        ("2.5", 0, ()),
        ("0", 1, ()),  # no workers
        ("True", 1, ()),
        ("'2'", 1, ()),
        (
            "3",
            1,
            ({"callable": "torch.utils.data.DataLoader", "unless": {"num_workers": [3]}},),
        ),  # somebody asks for it
        ("4", 0, ({"callable": "torch.utils.data.DataLoader", "unless": {"num_workers": [3]}},)),
    ],
)
def test_another_number_costs_no_solution(
    number: str, solutions: int, boundaries: tuple[dict[str, object], ...], repository: Path, solved: list[int]
) -> None:
    settings = replace(WARM, boundaries=boundaries)
    warm(repository, settings)
    solved.clear()
    (repository / "train.py").write_text(FILES["train.py"].replace("num_workers=2", f"num_workers={number}"))
    after = warm(repository, settings)
    assert len(solved) == solutions
    assert after == check(DirectoryFiles(repository), replace(COLD, boundaries=boundaries))


def test_a_number_counts_that_a_program_compares(repository: Path) -> None:
    (repository / "starts.py").write_text(
        "from multiprocessing import Process\n\n\ndef start(number, job):\n    if number > 3:\n"
        "        Process(target=job).start()\n"
    )
    call = "from starts import start\n\nstart({}, lambda: print())\n"
    (repository / "calls.py").write_text(call.format(2))
    before = warm(repository)
    (repository / "calls.py").write_text(call.format(5))
    after = warm(repository)
    assert after == cold(repository)
    assert after != before


def test_flow_that_answers_the_same_keeps_what_was_found(repository: Path, work: list[str], solved: list[int]) -> None:
    (repository / "other.py").write_text("def other(batch):\n    return batch\n")
    warm(repository)
    work.clear()
    solved.clear()
    (repository / "other.py").write_text("def other(batch, size):\n    return size(batch)\n")
    after = warm(repository)
    assert solved != []  # what it says is new
    assert not {"dict-views", "lambdas"} & set(work)
    assert after == cold(repository)


def test_who_imports_whom_is_asked_of_the_file_that_changed_alone(repository: Path, work: list[str]) -> None:
    (repository / "layers.py").write_text('"""Layers."""\n\nimport math\n\n\ndef layer():\n    return math.pi\n')
    norm = '"""Train."""\n\nfrom layers import layer\n\n\ndef norm():\n    return layer()\n'
    (repository / "norm.py").write_text(norm)
    warm(repository)
    work.clear()
    (repository / "norm.py").write_text(norm + "\n\ndef more(batch):\n    return [batch]\n")
    after = warm(repository)
    assert "norm.py" in work
    assert "layers.py" not in work
    assert after == cold(repository)


def test_files_are_looked_at_again_where_something_was_read_for_them_that_changed(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[tuple[str, str]] = []
    for name in ("main-guard", "dict-views", "model-deepcopy"):
        rule = rules()[name]
        assert rule.per_file is not None

        def find(project: Any, path: str, name: str = name, whole: Any = rule.per_file.find) -> Any:
            looked.append((name, path))
            return whole(project, path)

        monkeypatch.setitem(rules(), name, replace(rule, per_file=replace(rule.per_file, find=find)))
    starts = (
        "from torch.utils.data import DataLoader\n\nfor batch in DataLoader([1], num_workers=2):\n    print(batch)\n"
    )
    (repository / "second.py").write_text(starts)
    warm(repository)
    assert {path for name, path in looked if name == "main-guard"} == {"second.py", "train.py", ""}  # what may start
    looked.clear()
    (repository / "plain.py").write_text(f"SIZE = 10\n{starts}")
    assert warm(repository) == cold(repository)
    assert ("main-guard", "plain.py") in looked
    assert not {("main-guard", path) for path in ("second.py", "train.py")} & set(looked)
    assert ("dict-views", "data.py") not in looked
    looked.clear()
    (repository / "data.py").write_text(FILES["data.py"].replace("keys", "values"))
    assert warm(repository) == cold(repository)
    assert {("main-guard", "train.py"), ("dict-views", "data.py")} <= set(looked)
    assert ("main-guard", "second.py") not in looked


_WORKERS = (
    "from multiprocessing import Process\nimport settings\nfrom steps import step\n\n\ndef work():\n"
    '    step(settings.SIZE)\n\n\nif __name__ == "__main__":\n    Process(target=work).start()\n'
)


@pytest.mark.parametrize("line", ["\n", "# a line above, of an old step\n"])
def test_a_comment_costs_no_look_at_what_other_files_are_for(line: str, tmp_path: Path, work: list[str]) -> None:
    texts = {
        "run.py": _WORKERS,
        "settings.py": "SIZE = 1\n",
        "steps.py": "def step(size):\n    return [size]\n",
        "more.py": "from steps import step\n\nALL = [step(1)]\n",
    }
    folder = looked_at(tmp_path, texts, work)
    (folder / "steps.py").write_text(f"{line}{texts['steps.py']}")
    first = warm(folder)
    assert set(work) <= {"steps.py"}
    assert first == cold(folder)
    (folder / "steps.py").write_text(f"{line}\n{texts['steps.py']}")
    (folder / "settings.py").write_text(f"{line}{texts['settings.py']}")
    work.clear()
    second = warm(folder)
    assert set(work) <= {"steps.py", "settings.py"}
    assert second == cold(folder)


def test_who_catches_a_failure_is_asked_of_no_whole_text(repository: Path) -> None:
    copies = "import copy\n\n\ndef update(model):\n    return copy.deepcopy(model)\n\n\n"
    (repository / "copies.py").write_text(f"{copies}def run(model):\n    return update(model)\n")
    calls = "from copies import run\n\ntry:\n    run(1)\nexcept TypeError:\n    done = False\n"
    (repository / "calls.py").write_text(calls)
    project = Project(DirectoryFiles(repository))
    assert other_way(project, "copies.py:5") == "calls.py:5"
    reads = project.asked[other_way.name, "copies.py:5"].reads
    assert not reads.texts
    assert {"copies.py", "calls.py"} <= {*reads.trees}


_SENT = {
    "run.py": "from multiprocessing import Process\nimport settings\nfrom sampler import Sampler\n\n\ndef main():\n"
    "    settings.SIZE = int(input())\n    Process(target=Sampler().draw).start()\n\n\n"
    'if __name__ == "__main__":\n    main()\n',
    "settings.py": "SIZE = 1\n",
    "show.py": "import settings\n\n\ndef show():\n    print(settings.SIZE)\n",
    "sampler.py": "import threading\nfrom show import show\n\n\nclass Sampler:\n    def __init__(self):\n"
    "        self.lock = threading.Lock()\n\n    def draw(self):\n        with self.lock:\n            show()\n",
}


def test_which_classes_get_what_cannot_be_pickled_is_said_without_lines(tmp_path: Path) -> None:
    calls = "import threading\nfrom rows import Rows\n\nRows(threading.Lock())\n"
    one = "class Other:\n    pass\n\n\n"
    two = "class Rows:\n    def __init__(self, lock):\n        self.lock = lock\n"
    first, second = (
        Project(DirectoryFiles(written(tmp_path / name, {"run.py": calls, "rows.py": text})))
        for name, text in (("before", one + two), ("after", f"{one}# of the second\n{two}"))
    )
    assert handed(first) == handed(second) == {"run.py": ((("rows.py", "Rows", 0), "lock"),)}


@pytest.mark.parametrize(("path", "again"), [("sampler.py", False), ("run.py", True)])
def test_what_workers_lose_is_looked_for_again_where_it_may_be_another(
    path: str, again: bool, tmp_path: Path, work: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, asked = looked_at(tmp_path, _SENT, work), list[Project]()
    monkeypatch.setattr(main_guard, "lost_state", lambda project: asked.append(project) or lost_state(project))
    (folder / path).write_text(f"# above\n{_SENT[path]}")
    after = warm(folder)
    assert "unpicklable-attributes" in work  # it names a line of the file
    assert bool(asked) == again
    assert after == cold(folder)
    (unsafe,) = (each.fix.unsafe for each in after.findings if each.rule == "unpicklable-attributes" and each.fix)
    assert unsafe is not None and f"line {7 + again} of run.py" in unsafe


def test_what_workers_lose_is_asked_of_no_whole_text(tmp_path: Path) -> None:
    more = {"other.py": "import torch.multiprocessing as mp\n\n\ndef run(work):\n    mp.spawn(work, nprocs=2)\n"}
    project = Project(DirectoryFiles(written(tmp_path / "workers", _SENT | more)))
    losses = list(main_guard.losses(project, frozenset({("run.py", 8)})))
    assert [(loss.path, loss.line) for loss in losses] == [("run.py", 8)]
    asked = {name: answered.reads for (name, *_), answered in project.asked.items()}
    reads = [asked[question.name] for question in (main_guard.lost_anywhere, main_guard.lost_at)]
    assert not any("other.py" in each.texts for each in reads)
    assert any("other.py" in each.trees for each in reads)


def test_what_defines_nothing_that_workers_run_is_not_parsed_for_it(tmp_path: Path, work: list[str]) -> None:
    texts = {
        "run.py": "from multiprocessing import Process\nfrom holder import Holder\nfrom steps import step\n\n\n"
        "def main(holder):\n    step(1)\n\n\n"
        'if __name__ == "__main__":\n    Process(target=main, args=(Holder(),)).start()\n',
        "holder.py": "from net import Net\n\n\nclass Holder:\n    def __init__(self):\n        self.net = Net()\n",
        "net.py": "class Net:\n    def __init__(self):\n        self.size = 1\n",
        "steps.py": "def step(size):\n    return [size]\n",
    }
    folder = looked_at(tmp_path, texts, work)
    (folder / "steps.py").write_text(texts["steps.py"] + "\n\ndef more(size):\n    return step(size)\n")
    after = warm(folder)
    assert {"main-guard", "run.py", "steps.py"} <= set(work)
    assert "net.py" not in work
    assert after == cold(folder)


def test_what_was_found_before_lines_moved_is_found_where_they_are(repository: Path) -> None:
    (repository / "run.py").write_text(
        "import settings\nfrom multiprocessing import Process\n\n\ndef work():\n    print(settings.SIZE)\n\n\n"
        'if __name__ == "__main__":\n    settings.SIZE = 2\n    Process(target=work).start()\n'
    )
    (repository / "settings.py").write_text("SIZE = 1\n")
    before = warm(repository)
    assert any("settings.SIZE" in finding.message for finding in before.findings)
    for path in ("plain.py", "run.py", "data.py", "run.py", "settings.py", "train.py"):
        text = (repository / path).read_text()
        (repository / path).write_text(f"# a line above\n{text}")
        assert warm(repository) == cold(repository), path


@pytest.mark.parametrize(
    ("said", "is_concern"),
    [
        ("it is read there", False),
        ("line 3 of data.py changes it", False),
        ("lines of data.py change it", False),
        ("line 3 changes it", True),  # of which file?
        ("see lines 12 and 14", True),
        ("line 3 of helpers.py changes it", True),
    ],
)
def test_lines_that_move_are_a_concern_of_what_may_name_them(said: str, is_concern: bool, repository: Path) -> None:
    warm(repository)
    before, after = FILES["helpers.py"], f"# above\n{FILES['helpers.py']}"
    (repository / "helpers.py").write_text(after)
    blobs = [{"helpers.py": facts_cache.blob_id(text.encode())} for text in (before, after)]
    change = AfterChange(Project(DirectoryFiles(repository), WARM), *blobs, (), {})
    finding = Finding.answered("r", "data.py", Span(1, 1, 1, 2), said, Confidence.LIKELY, (), Refused("no"))
    assert change.concerns_findings([finding], Reads(trees={"helpers.py"})) == is_concern
    assert change.concerns_findings([finding], Reads(texts={"helpers.py"}))
    assert not change.concerns_findings([finding], Reads(trees={"data.py"}))


def test_a_file_whose_old_text_is_lost_is_taken_for_another(repository: Path, tmp_path: Path) -> None:
    warm(repository)
    for damage in ("DELETE FROM files", "UPDATE files SET data = x'00'"):
        with contextlib.closing(sqlite3.connect(tmp_path / "cache/facts.sqlite")) as database, database:
            database.execute(damage)
        (repository / "helpers.py").write_text("# a line\n" + (repository / "helpers.py").read_text())
        assert warm(repository) == cold(repository)


@pytest.mark.parametrize("name", ["main-guard", "dict-views", "model-deepcopy"])
def test_what_is_found_file_by_file_is_all_that_a_rule_finds(name: str, repository: Path) -> None:
    (repository / "model.py").write_text(
        "import copy\nimport torch\nfrom torch import nn\nimport torch.distributed as dist\n\n\n"
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.group = dist.new_group([0])\n\n\nnet = Net()\nother = copy.deepcopy(net)\n"
    )
    rule = rules()[name]
    assert rule.per_file is not None
    project = Project(DirectoryFiles(repository))
    found = list(rule.find(project))
    assert found
    parts = [list(rule.per_file.find(project, path)) for path in rule.per_file.paths(project)]
    assert sorted((f for part in parts for f in part), key=repr) == sorted(found, key=repr)


def test_a_line_broken_in_two_is_solved_again(repository: Path, solved: list[int]) -> None:
    warm(repository)
    solved.clear()
    (repository / "helpers.py").write_text(FILES["helpers.py"].replace("return batch[:size]", "return batch[\n:size]"))
    (repository / "data.py").write_text(FILES["data.py"].replace("class Data(Dataset)", "class Data(\n    Dataset)"))
    after = warm(repository)
    assert solved != []
    assert after == cold(repository)


ROWS = "class Rows:\n    def __getitem__(self, index):\n        return index\n\nSHARED = Rows()\n"
SCRIPT = "from rows import SHARED\n{first}\n\ndef main():\n    {second}\n\nif __name__ == '__main__':\n    main()\n"
LOADED = "for row in DataLoader(SHARED, num_workers=2): print(row)"


def test_a_text_that_names_a_script_as_module_changes_what_crosses(repository: Path) -> None:
    send = SCRIPT.format(first="from torch.utils.data import DataLoader", second=LOADED)
    look = SCRIPT.format(first="", second="SHARED.keep = lambda row: row")
    (repository / "old.py").unlink()  # with a file that can not be read, nothing is known of scripts
    for path, text in {"rows.py": ROWS, "look.py": look, "send.py": send}.items():
        (repository / path).write_text(text)
    for text in ("python look.py\n", 'python -c "import look"\n', "python -m look\n"):
        (repository / "run.sh").write_text(text)
        found = [each.confidence for each in warm(repository).findings if each.path == "look.py"]
        assert found == [Confidence.PROVEN if "import" in text else Confidence.POSSIBLE]


@pytest.mark.slow
@pytest.mark.in_process
@pytest.mark.parametrize("seed", range(7))
def test_any_edit_gives_what_a_cold_run_gives(seed: int, repository: Path) -> None:
    dice = random.Random(seed)
    states = {path: [text] for path, text in FILES.items()}
    hits = look_cache.STATS.hits
    for _ in range(25):
        path = dice.choice(sorted(states))
        lines = (repository / path).read_text().splitlines(keepends=True) or ["\n"]
        at = dice.randrange(len(lines))
        kind = dice.choice(["double", "less", "word", "back", "number", "note", "above"])
        if kind == "above":
            lines.insert(at, dice.choice(["\n", "# a line that names train, Process and key\n"]))
        elif kind == "double":
            lines.insert(at, lines[at])
        elif kind == "less":
            del lines[at]
        elif kind == "word":
            words = "".join(lines).split() or ["x"]
            lines = ["".join(lines).replace(dice.choice(words), dice.choice(words), 1)]
        elif kind == "number":
            lines = ["".join(lines).replace(str(dice.randrange(10)), str(dice.randrange(10)))]
        elif kind == "note":
            lines[at] = lines[at].rstrip("\n") + "  # noted\n"
        else:
            lines = [dice.choice(states[path])]
        (repository / path).write_text("".join(lines))
        states[path].append("".join(lines))
        assert warm(repository) == cold(repository), f"after {kind} in {path}"
    assert look_cache.STATS.hits > hits


@pytest.mark.slow
@pytest.mark.in_process
@pytest.mark.parametrize("data", [b"", b"no pickle", b"x\x9c\x03\x00\x00\x00\x00\x01"])
def test_a_damaged_row_is_replaced(data: bytes, repository: Path, tmp_path: Path, work: list[str]) -> None:
    first = warm(repository)
    with contextlib.closing(sqlite3.connect(tmp_path / "cache/looks.sqlite")) as database, database:
        database.execute("UPDATE looks SET data = ?", (data,))
    work.clear()
    assert warm(repository) == first
    assert set(work) >= ALL
    work.clear()
    assert warm(repository) == first
    assert work == []


def test_a_full_disk_costs_time_only(repository: Path, monkeypatch: pytest.MonkeyPatch, work: list[str]) -> None:
    @contextlib.contextmanager
    def full(*given: object) -> Iterator[Any]:
        raise sqlite3.OperationalError("database or disk is full")
        yield

    monkeypatch.setattr(look_cache.Store, "opened", full)
    assert warm(repository) == warm(repository)
    assert work.count("lambdas") == 2


def test_a_program_that_is_being_replaced_keeps_nothing(
    repository: Path, monkeypatch: pytest.MonkeyPatch, work: list[str]
) -> None:
    def gone() -> list[tuple[object, ...]]:
        raise FileNotFoundError("rule.py")

    monkeypatch.setattr(report_cache, "_program", gone)
    report_cache._running.cache_clear()  # as in a new process
    assert warm(repository) == warm(repository)
    assert work.count("lambdas") == 2


def test_a_database_that_somebody_else_holds_is_no_obstacle(repository: Path, tmp_path: Path) -> None:
    first = warm(repository)
    with contextlib.closing(sqlite3.connect(tmp_path / "cache/looks.sqlite", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        (repository / "plain.py").write_text("SIZE = 30\n")
        assert warm(repository) == cold(repository)
        other.execute("ROLLBACK")
    (repository / "plain.py").write_text(FILES["plain.py"])
    assert warm(repository) == first


@pytest.mark.slow
def test_runs_at_the_same_time_answer_as_one_without_a_cache(repository: Path) -> None:
    root = Path(__file__).resolve().parents[2]
    command = [sys.executable, str(root / "cli.py"), "check", "--format", "json", "--confidence", "possible"]
    warm(repository)
    (repository / "data.py").write_text(FILES["data.py"].replace("keys", "items"))
    started = [
        subprocess.Popen([*command, *more, str(repository)], stdout=subprocess.PIPE)
        for more in ((), (), (), ("--jobs", "2"), ("--no-cache",))
    ]
    answers = {process.communicate()[0] for process in started}
    assert len(answers) == 1
    assert b"items" in answers.pop()
    assert {process.returncode for process in started} == {1}


def test_other_settings_and_other_versions_have_their_own(
    repository: Path, monkeypatch: pytest.MonkeyPatch, work: list[str]
) -> None:
    warm(repository)
    work.clear()
    warm(repository, Settings(confidence=Confidence.LIKELY, cache=True))
    assert "lambdas" in work
    work.clear()
    with monkeypatch.context() as other:
        other.setattr(report_cache, "__version__", "0.0.other")
        warm(repository)
        assert "lambdas" in work
        work.clear()
        warm(repository)
    warm(repository)
    assert work == []


def test_where_rules_share_a_limit_all_of_them_run(
    repository: Path, work: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    warm(repository)
    (repository / "README.md").write_text("Another text\n")
    work.clear()
    with monkeypatch.context() as small:
        small.setattr(look, "MAX_RETRIED", -1)
        assert warm(repository) == cold(repository)
    assert all(work.count(rule) >= 2 for rule in ALL)  # in each of both


def test_nothing_is_kept_of_rules_that_share_a_limit(
    repository: Path, work: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as small:
        small.setattr(look, "MAX_RETRIED", -1)
        warm(repository)
    work.clear()
    warm(repository)
    assert set(work) >= ALL


def test_every_answer_of_the_flow_can_be_read_again() -> None:
    asked = [method for method in vars(crossings.Flow).values() if hasattr(method, "__wrapped__")]
    assert len(asked) > 15
    for method in asked:
        todo = [get_type_hints(method.__wrapped__)["return"]]
        while todo:
            kind = todo.pop()
            todo += get_args(kind)
            assert get_origin(kind) is not dict, f"{method.__name__}: places in its keys do not move with their file"
            plain = get_args(kind) or kind in (bool, int, str, type(None), ...)
            assert plain or kind in look_cache._CLASSES, (method.__name__, kind)


def test_what_reads_know_of_a_search() -> None:
    reads = Reads({"seen.py"}, words={"word"}, patterns={("a+b", 32, "b", ("c",))}, names={"name"})
    assert reads.concerned_by(Changed("seen.py", "", before=""))
    assert not reads.concerned_by(Changed("other.md", "word"))
    assert reads.concerned_by(Changed("other.py", None, before=""))
    assert reads.concerned_by(Changed("other.py", ""))  # nobody knows what it was
    assert reads.concerned_by(Changed("other.py", "a word", before=""))
    assert reads.concerned_by(Changed("other.py", "", before="a word"))
    assert not reads.concerned_by(Changed("other.py", "a word", before="word 2"))
    assert not reads.concerned_by(Changed("other.py", "words", before=""))
    assert reads.concerned_by(Changed("other.py", "c aab", before=""))
    assert reads.concerned_by(Changed("other.py", "", before="c aab"))
    assert not reads.concerned_by(Changed("other.py", "c aab", before="ab c"))
    assert not reads.concerned_by(Changed("other.py", "aab", before=""))
    assert reads.concerned_by(Changed("other.py", "x", ("name",), before=""))
    assert reads.concerned_by(Changed("other.py", "x", before="", might_define=("name",)))
    assert not reads.concerned_by(Changed("other.py", "x", ("name",), before="", might_define=("name",)))
    marked = Reads(marks={("called", "f"), ("used", "g")})
    assert marked.concerned_by(Changed("other.py", "f(x)", before="f"))
    assert not marked.concerned_by(Changed("other.py", "f(x)", before="y = f()"))
    assert marked.concerned_by(Changed("other.py", "import g", before="x = g"))
    assert not marked.concerned_by(Changed("other.py", "import g", before="def g(): pass"))
