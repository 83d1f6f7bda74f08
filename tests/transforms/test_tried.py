"""What is pickled or copied in a `try` that goes another way where that fails: no default fix makes it succeed."""

from __future__ import annotations

import pytest

from codemods.engine.migrate import check, plan
from codemods.settings import Settings
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row

TEXT = """\
import contextlib
import copy
import multiprocessing
import pickle
import sys
import threading


class Guarded:
    def __init__(self, names):
        {kept}


def store(value):
    {stored}


def child(value):
    print(value)


def main():
    value = Guarded({{"a": 1}})
    {used}
    process = multiprocessing.Process(target=child, args=(value,))
    process.start()


if __name__ == "__main__":
    main()
"""
KEPT = {
    "unpicklable-attributes": "self.lock = threading.Lock()",
    "dict-views": "self.names = names.keys()",
    "lambdas": "self.rank = lambda x: x + 1",
}


def unsafe(rule: str, stored: str, used: str) -> bool:
    """Whether the fix of `rule` is for `--unsafe-fixes` alone."""
    text = TEXT.format(kept=KEPT[rule], stored=stored, used=used)
    files = MemoryFiles({"train.py": text.encode()})
    fixed = [each.rule for change in plan(files, Settings()).changes for each in change.findings]
    wide = plan(files, Settings(unsafe_fixes=True))
    all_fixed = {each.rule: each for change in wide.changes for each in change.findings}
    fix = all_fixed[rule].fix
    assert fix is not None and bool(fix.unsafe) is (rule not in fixed)
    assert not fix.unsafe or ("train.py:" in fix.unsafe and "tries to pickle or copy it" in fix.unsafe)
    return bool(fix.unsafe)


TRY = "try:\n        {body}\n    except {caught}:\n        {then}"


@pytest.mark.slow
@pytest.mark.in_process
@pytest.mark.parametrize("rule", KEPT)
@pytest.mark.parametrize(
    ("body", "caught", "then", "other_way"),
    [
        ("pickle.dumps(value)", "Exception", "return None", True),
        ("pickle.dumps([value])", "(TypeError, AttributeError) as error", "print(error)", True),
        ("pickle.dumps(value)", "ValueError", "return None", False),
        ("pickle.dumps(value)", "Exception", "print('failed')\n        raise", False),
        ("pickle.dumps(value)", "Exception as error", "sys.exit(str(error))", False),
        ("print(value)", "Exception", "return None", False),
        ("pickle.dumps(3)", "Exception", "return None", False),
    ],
)
def test_tried(rule: str, body: str, caught: str, then: str, other_way: bool) -> None:
    assert unsafe(rule, TRY.format(body=body, caught=caught, then=then), "store(value)") is other_way


@each_row(
    ("stored", "used", "other_way"),
    [
        ("pickle.dumps(value)", "store(value)", False),
        ("pickle.dumps(value)", TRY.format(body="store(value)", caught="TypeError", then="value = None"), True),
        ("pickle.dumps(value)", TRY.format(body="store(value)", caught="TypeError", then="print('no')"), False),
        ("copy.deepcopy(value)", TRY.format(body="store(value)", caught="TypeError", then="value = None"), True),
        ("with contextlib.suppress(TypeError):\n        copy.deepcopy(value)", "store(value)", True),
        ("with contextlib.suppress(OSError):\n        copy.deepcopy(value)", "store(value)", False),
    ],
)
def test_tried_around(stored: str, used: str, other_way: bool) -> None:
    assert unsafe("unpicklable-attributes", stored, used) is other_way


def test_functions_are_copied_as_they_are() -> None:
    """`deepcopy` never fails for them."""
    stored = TRY.format(body="copy.deepcopy(value)", caught="Exception", then="return None")
    assert not unsafe("lambdas", stored, "store(value)")


LATER = """\
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import Pool


def main():
    scale = 3
    step = lambda x: x * scale
    {pool}
        later = {asked}
        try:
            print(later.{result}())
        except {caught}:
            {then}


if __name__ == "__main__":
    main()
"""
POOL, SUBMIT = "with Pool(2) as pool:", "pool.apply_async(step, (2,))"


@each_row(
    ("pool", "asked", "result", "caught", "then", "other_way"),
    [
        ("with ProcessPoolExecutor() as pool:", "pool.submit(step, 2)", "result", "Exception", "print(step(2))", True),
        (POOL, SUBMIT, "get", "Exception", "print(step(2))", True),
        (POOL, SUBMIT, "get", "Exception", "print('failed')", False),
        (POOL, SUBMIT, "get", "OSError", "print(step(2))", False),
        (POOL, SUBMIT, "ready", "Exception", "print(step(2))", False),
    ],
)
def test_a_result_that_is_asked_for_later(
    pool: str, asked: str, result: str, caught: str, then: str, other_way: bool
) -> None:
    text = LATER.format(pool=pool, asked=asked, result=result, caught=caught, then=then)
    done = plan(MemoryFiles({"train.py": text.encode()}), Settings(select=("lambdas",), unsafe_fixes=True))
    (fix,) = [each.fix for change in done.changes for each in change.findings]
    assert fix is not None and bool(fix.unsafe) is other_way


PROBED = """\
import multiprocessing
import pickle


def can_send(value):
    try:
        pickle.dumps(value)
    except (TypeError, AttributeError):
        return False
    return True


def child(value):
    print(value)


def run(value):
    {body}


def main():
    run(lambda x: x + 1)


if __name__ == "__main__":
    main()
"""
START = "multiprocessing.Process(target=child, args=(value,)).start()"
ASKED = "try:\n        pickle.dumps(value)\n    except Exception:\n        {then}\n    "


@each_row(
    ("body", "found"),
    [
        pytest.param(f"if can_send(value):\n        {START}", False, id="a test asks"),
        pytest.param(f"if not can_send(value):\n        return child(value)\n    {START}", False, id="left before"),
        pytest.param(f"{ASKED.format(then='return child(value)')}{START}", False, id="left where it fails"),
        pytest.param(f"{ASKED.format(then='print(value)')}{START}", True, id="it goes on"),
        pytest.param(f"can_send(value)\n    {START}", True, id="nobody looks at the answer"),
        pytest.param(f"if not can_send(value):\n        {START}", True, id="the other branch"),
        pytest.param(f"if can_send(value):\n        print(value)\n    else:\n        {START}", True, id="else"),
        pytest.param(f"if value and can_send(value):\n        {START}", False, id="a test asks for that too"),
        pytest.param(f"if value or can_send(value):\n        {START}", True, id="a test can do without"),
        pytest.param(f"if value and not can_send(value):\n        {START}", True, id="the other branch, if more holds"),
        pytest.param(f"if can_send(value) is False:\n        {START}", True, id="its answer is compared"),
        pytest.param(
            f"try:\n        pickle.dumps(value)\n    except Exception:\n        pass\n    finally:\n        {START}",
            True,
            id="in any case",
        ),
    ],
)
def test_what_is_sent_only_where_it_can_be_pickled(body: str, found: bool) -> None:
    files = MemoryFiles({"train.py": PROBED.format(body=body).encode()})
    settings = Settings(select=("lambdas",))
    assert [each.confidence.value for each in check(files, settings).findings] == ["proven"] * found
