"""Who names the right path? nasty_objects.py through spawnfix, ray, dill and the interpreter's own message.

    python benchmarks/diagnose_objects.py [--peers PYTHON]

`--peers` is an interpreter that has ray and dill; without one it is this one, and a missing peer is shown as `-`.
Prints a Markdown table: yes (every bad path, in full, and nothing else), part (an attribute, or some of them), no.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "codemods" / "diagnose")]
MARK = "\0answer "


def spawnfix(obj: object) -> set[str]:
    """Paths by our probe, a spawned child included."""
    probe = import_module("probe")
    return {row["path"] for row in probe.diagnose(obj, "obj")["problems"]}


def ray(obj: object) -> set[str]:
    """Paths by ray.util.inspect_serializability with its default depth; "." where it says only that something fails."""
    import contextlib
    import io

    inspect_serializability = import_module("ray.util").inspect_serializability
    with contextlib.redirect_stdout(io.StringIO()):
        good, failures = inspect_serializability(obj, name="obj")
    if good:
        return set()
    found = set()
    for failure in failures:
        path = getattr(failure, "path", None)
        found.add("obj" + "".join("." + str(step) for step in path if step != "obj") if path else f"obj.{failure.name}")
    return found or {"."}


def dill(obj: object) -> set[str]:
    """Attributes by dill.detect.badobjects, looking as deep as it takes for these objects."""
    bad = import_module("dill.detect").badobjects(obj, depth=3)
    found: set[str] = set()

    def collect(rows: object, path: str) -> None:
        if isinstance(rows, dict):
            for name, below in rows.items():
                collect(below, f"{path}.{name}")
        elif rows is not None:
            found.add(path)

    if isinstance(bad, dict):
        collect(bad, "obj")
    elif bad is not None:
        found.add("obj")
    return found


def interpreter(obj: object) -> set[str]:
    """What the error says, and before Python 3.14 that is no path: "." when there is an error."""
    import multiprocessing.context
    import multiprocessing.reduction

    multiprocessing.context.set_spawning_popen(import_module("probe")._NoPopen)
    try:
        multiprocessing.reduction.ForkingPickler.dumps(obj)
    except Exception as error:
        names = [
            note.rpartition("'")[0].rpartition("'")[2] for note in getattr(error, "__notes__", []) if "item" in note
        ]
        return {"obj" + "".join("." + name for name in reversed(names))} if names else {"."}
    finally:
        multiprocessing.context.set_spawning_popen(None)
    return set()


WAYS = {"spawnfix": spawnfix, "ray": ray, "dill": dill, "interpreter": interpreter}


def grade(got: set[str] | None, wanted: set[str]) -> str:
    """`yes`, `part` or `no`; `-` when there is no answer."""
    if got is None:
        return "-"
    if got == wanted:
        return "yes"
    steps = {path.rpartition(".")[2].partition("[")[0] for path in wanted}
    near = got & wanted or {path.rpartition(".")[2] for path in got} & steps
    inside = any(want.startswith((path + ".", path + "[")) for path in got - {"obj"} for want in wanted)
    return "part" if wanted and len(got) <= 2 * len(wanted) + 2 and (near or inside) else "no"


def answer(way: str) -> None:
    """Print what `way` says of every object."""
    for name, (make, wanted) in import_module("nasty_objects").OBJECTS.items():
        if wanted is None:
            continue
        try:
            got = sorted(WAYS[way](make()))
        except ImportError:
            got = None
        except Exception as error:
            got = [f"! {type(error).__name__}"]
        print(MARK + json.dumps([name, got]), flush=True)


def main() -> None:
    """Run each way in a process of its own, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers", default=sys.executable, help="an interpreter that has ray and dill")
    parser.add_argument("--answer", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.answer:
        answer(given.answer)
        return
    answers: dict[str, dict[str, list[str] | None]] = {}
    for way in WAYS:
        python = given.peers if way in ("ray", "dill") else sys.executable
        command = [python, __file__, "--answer", way]
        done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
        lines = [line[len(MARK) :] for line in done.stdout.splitlines() if line.startswith(MARK)]
        answers[way] = dict(json.loads(line) for line in lines)
    objects = import_module("nasty_objects").OBJECTS
    known = {name: wanted for name, (_, wanted) in objects.items() if wanted is not None}
    print(f"| object | {' | '.join(WAYS)} |\n| --- |{' --- |' * len(WAYS)}")
    right = dict.fromkeys(WAYS, 0)
    for name, wanted in known.items():
        grades = []
        for way in WAYS:
            got = answers[way].get(name)
            grades.append(grade(None if got is None else set(got), wanted))
            right[way] += grades[-1] == "yes"
        print(f"| {name} | {' | '.join(grades)} |")
    print(f"| **right of {len(known)}** | {' | '.join(f'**{count}**' for count in right.values())} |")


if __name__ == "__main__":
    main()
