"""Who does the work: processes of this machine, or a Dask cluster. Both run the same task under the same keeper."""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

from ..problem import Problem
from ..version import __version__
from .child import Child
from .spec import Outcome, Spec, Status
from .version import release


@dataclass(frozen=True)
class Event:
    """`name` is being worked on, or (with an outcome) done."""

    name: str
    outcome: Outcome | None = None


def run_local(specs: Iterable[Spec], jobs: int, scratch: Path) -> Generator[Event, None, None]:
    """Work on `specs` with `jobs` processes, started afresh (as spawn does) and kept for the next repository."""
    waiting = iter(specs)
    taking = threading.Lock()
    events: queue.SimpleQueue[Event | None] = queue.SimpleQueue()
    children = [Child(scratch) for _ in range(jobs)]
    stopped = threading.Event()

    def keep(child: Child) -> None:
        while not stopped.is_set():
            with taking:
                spec = next(waiting, None)
            if spec is None:
                break
            events.put(Event(spec.name))
            try:
                outcome = child.ask(spec)
            except Exception as error:  # no space for scratch, say: this row's, not the batch's end
                ours = "" if isinstance(error, OSError) else "internal error (please report it): "
                outcome = Outcome(Status.FAILED, f"{ours}{error}", "engine")
            events.put(Event(spec.name, outcome))
        events.put(None)

    threads = [threading.Thread(target=keep, args=(child,), daemon=True) for child in children]
    try:
        for thread in threads:
            thread.start()
        running = len(threads)
        while running:
            event = events.get()
            if event is None:
                running -= 1
            else:
                yield event
    finally:
        stopped.set()
        for child in children:
            child.close()


_idle: queue.LifoQueue[Child] = queue.LifoQueue()


def guarded(data: dict[str, object]) -> dict[str, object]:
    """The task as a Dask worker runs it: in a process of its own, under the same limits as everywhere."""
    spec = Spec.from_json(data)
    if release(spec.version) != __version__:
        here = f"the worker runs spawnfix {__version__}, the batch {release(spec.version)}"
        return Outcome(Status.FAILED, f"{here}: install the same one everywhere", "start").to_json()
    try:
        child = _idle.get_nowait()
    except queue.Empty:
        child = Child()
    try:
        return child.ask(spec).to_json()
    finally:
        _idle.put(child)


def run_dask(specs: Iterable[Spec], address: str, retries: int = 2) -> Generator[Event, None, None]:
    """Work on `specs` with the workers of the Dask cluster at `address` (or a YAML file for dask-jobqueue).

    Dask starts tasks of lost workers again; a repository that its workers keep dying of is a failed one.
    Raises Problem.
    """
    try:
        import distributed
    except ImportError:
        raise Problem('--dask needs Dask: pip install "spawnfix[dask]"') from None
    client_of: Any = distributed.Client
    with contextlib.ExitStack() as stack:
        try:
            where = stack.enter_context(cluster_of(address)) if address.endswith((".yml", ".yaml")) else address
            passed = (
                {"scheduler_file": where} if isinstance(where, str) and where.endswith(".json") else {"address": where}
            )
            client = stack.enter_context(client_of(**passed, set_as_default=False))
        except (OSError, ValueError, TimeoutError) as error:
            raise Problem(f"{address}: no Dask scheduler answers: {error}") from None

        def submit(spec: Spec) -> Any:
            future = client.submit(guarded, spec.to_json(), pure=False, retries=retries)
            names[future.key] = spec.name
            return future

        waiting = iter(specs)
        names: dict[str, str] = {}
        width = max(8, 4 * sum(client.nthreads().values()))  # enough to keep all busy, few enough for any list
        first = list(islice(waiting, width))
        completed: Any = distributed.as_completed
        pending = completed([submit(spec) for spec in first], loop=client.loop)
        for spec in first:
            yield Event(spec.name)
        for future in pending:
            status = future.status
            if status in ("lost", "pending"):  # its worker died before anyone read the result: Dask does it again
                pending.add(future)
                continue
            name = names.pop(future.key)
            yield Event(name, _outcome(future, status))
            future.release()
            for spec in islice(waiting, max(1, 4 * sum(client.nthreads().values()) - len(names))):
                pending.add(submit(spec))
                yield Event(spec.name)


def _outcome(future: Any, status: str) -> Outcome:
    from distributed.scheduler import KilledWorker

    if status == "finished":
        return Outcome.from_json(future.result())
    error = future.exception() if status == "error" else None
    if isinstance(error, KilledWorker):
        return Outcome(Status.FAILED, "the Dask workers that worked on it died, again and again", "crash")
    if error is None:
        raise Problem(f"the Dask cluster is gone (a task is {status}); --resume goes on from here")
    return Outcome(Status.FAILED, f"internal error (please report it): {type(error).__name__}: {error}", "engine")


@contextlib.contextmanager
def cluster_of(file: str) -> Iterator[Any]:
    """A cluster of batch jobs, as a YAML file says: `cluster: SLURM`, `jobs: 20`, `options: {cores: 4, ...}`.

    `cluster` is a class of dask-jobqueue, or of another module with its dotted name. Raises Problem.
    """
    try:
        yaml = import_module("yaml")
        asked = yaml.safe_load(Path(file).read_text(encoding="utf-8"))
        kind, jobs, options = str(asked["cluster"]), int(asked.get("jobs", 1)), dict(asked.get("options") or {})
        module, _, name = (kind if "." in kind else f"dask_jobqueue.{kind}Cluster").rpartition(".")
        created = getattr(import_module(module), name)
    except ImportError as error:
        raise Problem(f"{file}: needs {error.name}: pip install dask-jobqueue") from None
    except (OSError, yaml.YAMLError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise Problem(f"{file}: want cluster: SLURM (or PBS, LSF...), jobs: N, options: {{...}}: {error}") from None
    try:
        entered = created(**options)
    except (TypeError, ValueError, OSError) as error:
        raise Problem(f"{file}: {kind} does not take these options: {error}") from None
    with entered as cluster:
        cluster.scale(jobs=jobs)
        yield cluster
