"""What the worker of a batch does with one question, in this process."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from codemods.batch.child import _answered
from codemods.batch.spec import Limits, Outcome, Spec, Status

CALLS: list[tuple[Spec, Path]] = []


def task(spec: Spec, scratch: Path) -> Outcome:
    CALLS.append((spec, scratch))
    if spec.ref == "memory":
        raise MemoryError
    if spec.ref == "crash":
        raise RuntimeError("https://ada:s3cret@host/x is gone\nmore")
    return Outcome(Status.CLEAN)


def spec(ref: str | None) -> Spec:
    return Spec("n", "/code/n", "n", ref, False, "1", task=f"{__name__}:task", limits=Limits(memory=7))


def test_a_task_is_found_by_its_name_once(monkeypatch: pytest.MonkeyPatch) -> None:
    CALLS.clear()
    tasks: dict[str, Any] = {}
    assert _answered(spec(None), Path("a"), tasks) == Outcome(Status.CLEAN)
    assert [*tasks] == [f"{__name__}:task"]
    monkeypatch.setattr("importlib.import_module", lambda name: SimpleNamespace())
    assert _answered(spec("x"), Path("b"), tasks) == Outcome(Status.CLEAN)
    assert [(each.ref, place) for each, place in CALLS] == [(None, Path("a")), ("x", Path("b"))]


def test_what_is_said_where_it_fails() -> None:
    lacks = _answered(spec("memory"), Path("a"), {})
    assert (lacks.status, lacks.stage, lacks.reason) == ("failed", "memory", "needs more than 7 MiB of memory")
    crash = _answered(spec("crash"), Path("a"), {})
    assert (crash.status, crash.stage) == ("failed", "crash")
    assert crash.reason == "internal error (please report it): RuntimeError: https://host/x is gone"
    assert "in task" in crash.files["log.txt"] and "s3cret" not in crash.files["log.txt"]
