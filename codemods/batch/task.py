"""The task of one repository: resolve, obtain, analyse, build the branch, write what is delivered."""

from __future__ import annotations

import base64
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from functools import cached_property
from pathlib import Path

from ..delivery import deliver
from ..delivery.commit_message import commit_message
from ..delivery.target import Target
from ..engine.migrate import Plan, check, plan
from ..finding import Finding, Skipped
from ..flow.facts import cache
from ..problem import Problem
from ..settings import read_settings, with_flags
from ..transforms import rules as all_rules
from ..tree import git_tree
from ..tree.directory import Selected
from ..tree.files import Entry, Files
from ..tree.git_folder import GitFailed
from ..tree.git_tree import CommitFiles
from ..tree.repository import Repository
from ..version import __version__
from .obtain import Base, Call, network, obtain, resolve, why
from .repos import without_secrets
from .spec import Outcome, Spec, Status


def migrate_repository(spec: Spec, scratch: Path) -> Outcome:
    """Migrate one repository on a branch of its own; all that is kept of it is in the outcome."""
    outcome = Outcome(Status.FAILED, stage="resolve")
    try:
        base = resolve(spec, scratch / "asked.git")
        outcome.commit = base.commit
        if base.commit == spec.known:
            return replace(outcome, status=Status.UNCHANGED, stage=None)
        outcome.stage = "obtain"
        folder = obtain(spec, base, scratch / "repository.git")
        repository = Repository.own(folder, len(base.commit))
        outcome.stage = "analyse"
        commit = CommitFiles(repository, base.commit)
        found = _analysed(spec, commit, outcome)
        if found is not None:
            outcome.stage = "deliver"
            _deliver(spec, base, repository, commit, found, outcome)
        outcome.status = Status.MIGRATED if found is not None else Status.CLEAN
        _settle(outcome, spec)
    except Problem as problem:
        outcome.status, outcome.reason = Status.FAILED, without_secrets(str(problem).replace(str(scratch), "."))
    return outcome


def _settle(outcome: Outcome, spec: Spec) -> None:
    """Not all went well when a rule failed on everything, files could not be read, or memory ran out on the way."""
    if outcome.reason is not None:
        outcome.status, outcome.stage = Status.FAILED, "analyse"
    for path, what in outcome.crashes:
        if "MemoryError" in what:
            outcome.status, outcome.stage = Status.FAILED, "memory"
            outcome.reason = f"needs more than {spec.limits.memory} MiB of memory ({path})"
        elif path == ".":
            outcome.status, outcome.reason = Status.FAILED, f"a rule's findings are missing: {what}"
    if outcome.status != Status.FAILED:
        outcome.stage = None


class _Counted:
    """`files`, counting the bytes that are read of them."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._sizes: dict[str, int] = {}

    @property
    def root(self) -> str:
        return self._files.root

    @cached_property
    def _entries(self) -> Sequence[Entry]:
        return self._files.entries()

    def entries(self) -> Sequence[Entry]:
        return self._entries

    def read(self, path: str) -> bytes:
        data = self._files.read(path)
        self._sizes[path] = len(data)
        return data

    @property
    def size(self) -> int:
        return sum(self._sizes.values())


def _analysed(spec: Spec, commit: CommitFiles, outcome: Outcome) -> Plan | None:
    """The changes to make, None for none; fills in the counts and the reports of findings."""
    from ..review.json_report import to_json
    from ..review.sarif import to_sarif
    from .page import repo_page

    files = _Counted(Selected(commit))
    known = all_rules()
    settings = with_flags(read_settings(files, known), known, **asdict(spec.flags))
    settings = replace(settings, cache=not spec.no_cache)
    before = (cache.STATS.hits, cache.STATS.lookups)
    report = replace(check(files, settings), root=spec.name)
    outcome.cache = [cache.STATS.hits - before[0], cache.STATS.lookups - before[1]]
    done = plan(files, settings) if any(report.why_not(item) is None for item in report.findings) else None
    if done is not None and not done.changes:
        done = None
    outcome.files_seen, outcome.size = report.files_seen, files.size
    fixed = [finding for change in done.changes for finding in change.findings] if done is not None else []
    left = list(done.remaining if done is not None else report.findings)
    outcome.fixed, outcome.refused = len(fixed), len(left)
    _count(fixed + left, outcome)
    _note([*report.skipped, *(done.skipped if done is not None else ())], outcome)
    diff = deliver.diff_of(Target(files, ""), done) if done is not None else b""
    outcome.files["findings.json"] = json.dumps(to_json(report), indent=1)
    outcome.files["findings.sarif"] = json.dumps(to_sarif(report), indent=1)
    outcome.files["index.html"] = repo_page(spec, outcome, report, diff)
    if diff:
        outcome.files["changes.patch"] = _bytes(diff)
        outcome.files["review.html"] = _review_page(spec, files, done)
        outcome.files["pull-request.md"] = _pull_request(outcome, done)
    return done


def _review_page(spec: Spec, files: Files, done: Plan | None) -> str:
    from ..engine.units import Units
    from ..review.decisions import Decisions
    from ..review.model import review_of
    from ..review.page import page_of

    assert done is not None
    return page_of(review_of(Units(done), files), Decisions(), spec.name)


def _pull_request(outcome: Outcome, done: Plan | None) -> str:
    from .pull_request import pull_request

    assert done is not None
    return pull_request(outcome, done)


def _count(findings: Iterable[Finding], outcome: Outcome) -> None:
    by_rule: dict[str, Counter[str]] = {}
    for finding in findings:
        by_rule.setdefault(finding.rule, Counter())[finding.confidence.value] += 1
    outcome.findings = {rule: sum(by_rule[rule].values()) for rule in sorted(by_rule)}
    outcome.confidence = {rule: dict(sorted(by_rule[rule].items())) for rule in sorted(by_rule)}


def _note(rows: Sequence[Skipped], outcome: Outcome) -> None:
    lost = [row for row in rows if row.unread or (row.missed and not outcome.files_seen)]
    if lost:
        outcome.reason = f"not looked at: {lost[0].path}: {lost[0].reason}"
    skipped = sorted({(row.path, row.reason) for row in rows})
    outcome.skipped = len({path for path, _ in skipped})
    outcome.crashes = [[path, reason] for path, reason in skipped if "our bug" in reason or "MemoryError" in reason]


def _bytes(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _deliver(spec: Spec, base: Base, repository: Repository, commit: CommitFiles, done: Plan, outcome: Outcome) -> None:
    """Build the branch, pack it for any clone to fetch, and push it where that was asked for."""
    known = all_rules()
    commits = [
        git_tree.Commit(change.contents, commit_message(change, known[change.rule].summary, __version__))
        for change in done.changes
    ]
    branch = git_tree.build_branch(commit, commits, None)
    outcome.branch = branch.name
    try:
        bundle = repository.ours.git("bundle", "create", "-", f"refs/heads/{branch.name}", f"^{base.commit}")
    except GitFailed as error:
        raise Problem(f"the branch can't be packed: {error}") from None
    outcome.files["branch.bundle"] = _bytes(bundle)
    if spec.in_place and base.source is not None:
        tree = repository.ours.git("rev-parse", f"{branch.commits[-1]}^{{tree}}").decode().strip()
        same = _branch_with(base.source, tree)  # of a run that was killed, or with other flags
        outcome.branch = same or git_tree.build_branch(CommitFiles(base.source, base.commit), commits, None).name
    if spec.push:
        outcome.stage = "push"
        _push(spec, repository, branch.name, outcome)


def _branch_with(repository: Repository, tree: str) -> str | None:
    """The branch of ours that has just these files."""
    listing = repository.ours.git("for-each-ref", "--format=%(tree) %(refname)", f"refs/heads/{git_tree.BRANCH}*")
    rows = [line.partition(" ") for line in listing.decode("utf-8", "replace").splitlines()]
    return next((name.removeprefix("refs/heads/") for found, _, name in rows if found == tree), None)


def _push(spec: Spec, repository: Repository, branch: str, outcome: Outcome) -> None:
    """Push `branch`, never over something else. Raises Problem."""
    where = push_address(spec)
    call = network(spec, where)
    try:
        repository.ours.git(
            "push", "--quiet", "--no-verify", "origin", f"refs/heads/{branch}:refs/heads/{branch}", **call
        )
    except GitFailed as error:
        rejected = "rejected" in error.errors
        if not (rejected and _is_pushed(repository, branch, call)):
            text = "the branch is there already, with other commits" if rejected else why(error, spec)
            raise Problem(f"can't be pushed: {text.replace(where, without_secrets(where))}") from None
    outcome.pushed = without_secrets(where)


def _is_pushed(repository: Repository, branch: str, call: Call) -> bool:
    """A run that was killed after its push has been there: the same files in a commit of another second."""
    try:
        repository.ours.git("fetch", "--quiet", "--no-tags", "--depth=1", "origin", f"refs/heads/{branch}", **call)
        ours, theirs = (repository.ours.git("rev-parse", f"{name}^{{tree}}") for name in (branch, "FETCH_HEAD"))
    except GitFailed:
        return False
    return ours == theirs


def push_address(spec: Spec) -> str:
    """Where to push: `push_remote` with {owner}, {repo} and {name} filled in, else where it came from."""
    if spec.push_remote is None:
        if not spec.remote:
            raise Problem("can't be pushed: a local repository needs --push-remote")
        return spec.location
    owner, _, repo = spec.name.rpartition("+")
    filled = spec.push_remote
    for key, value in {"owner": owner, "repo": repo, "name": spec.name}.items():
        filled = filled.replace(f"{{{key}}}", value)
    return filled
