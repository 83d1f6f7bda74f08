"""What becomes of a plan: a branch or files in place, and a few lines that tell the person what happened."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from .. import transforms
from ..finding import missed
from ..problem import Problem
from ..quoting import shell
from ..tree.writing import replace_files, written
from ..version import __version__
from .commit_message import commit_message
from .diff import unified_diff
from .target import Target

if TYPE_CHECKING:
    from ..engine.migrate import Plan

Say = Callable[[str], None]
_MOST_PLACES = 6  # that are listed for one reason


def diff_of(target: Target, plan: Plan) -> bytes:
    """The whole change as a unified diff that `git apply` accepts."""
    after = plan.contents
    return unified_diff({path: target.files.read(path) for path in after}, after)


def write_patch(file: Path, diff: bytes) -> None:
    """Put `diff` into `file`, all or nothing. Raises Problem."""
    try:
        written(file, diff)
    except OSError as error:
        raise Problem(f"can't write {file}: {error.strerror or error}") from None


def deliver(
    target: Target, plan: Plan, wanted: str | None, check_out: bool, say: Say, each_alone: bool = False
) -> None:
    """Carry `plan` out where `target` came from, and say what was done, how to look at it and how to go back.

    `each_alone`: its commits are single fixes.

    Raises Problem; a branch that could not be checked out is one too, and the branch is there.
    """
    if target.commit is not None:
        _branch(target, plan, wanted, check_out, say, each_alone)
    elif target.folder is not None:
        after = plan.contents
        replace_files(target.folder, {path: target.files.read(path) for path in after}, after)
        _all(summary(plan, would=False), say)
        say(f"rewrote {_counted(len(after), 'file')} in {target.folder}")


def _branch(target: Target, plan: Plan, wanted: str | None, check_out: bool, say: Say, alone: bool) -> None:
    from ..tree import git_tree

    assert target.commit is not None
    repository = target.commit.repository
    start = repository.branch() or target.commit.commit[:12]
    known = transforms.rules()
    commits = [
        git_tree.Commit(
            change.contents,
            commit_message(
                change, known[change.rule].summary if change.rule in known else change.rule, __version__, alone
            ),
        )
        for change in plan.changes
    ]
    branch = git_tree.build_branch(target.commit, commits, wanted)
    _all(summary(plan, would=False), say)
    if not branch.author.configured:
        say("git has no user.name and user.email here: the commits are by spawnfix <spawnfix@localhost>")
    created, changed = _counted(len(branch.commits), "commit"), _counted(len(branch.paths), "file")
    say(f"branch {branch.name}: {created}, {changed} changed")
    if changed_here := repository.uncommitted(target.commit.tree):
        files = _counted(len(changed_here), "file")
        say(f"  it starts from the last commit: your uncommitted changes in {files} were not looked at")
    git, name, leave = repository.typed_git, shell(branch.name), check_out and repository.work_tree is not None
    say(f"  look at it:  {git} diff {shell(f'{start}...{branch.name}')}")
    if leave:
        git_tree.check_out(repository, branch)
        say(f"  it is checked out; go back with:  {git} checkout {shell(start)}")
    elif repository.work_tree is not None:
        say(f"  take it:  {git} checkout {name}")
    else:  # nothing can be checked out in a bare repository
        refs = shell(f"{branch.name}:{branch.name}")
        say(f"  take it, in a clone:  git fetch {shell(str(repository.folder))} {refs}")
    say(f"  throw it away:  {git} branch -D {name}" + ("  (after going back)" if leave else ""))


def summary(plan: Plan, would: bool) -> Iterable[str]:
    """Lines for people: files left out, and per rule what was fixed and what was not."""
    for skipped in plan.skipped:
        yield f"skipped {skipped.path}: {skipped.reason}"
    fixed = Counter(finding.rule for change in plan.changes for finding in change.findings)
    unsafe = Counter(finding.rule for finding in plan.remaining if finding.fix is not None)
    refused = Counter(finding.rule for finding in plan.remaining if finding.fix is None)
    declined = Counter(finding.rule for finding in plan.declined)
    for rule in sorted(fixed | unsafe | refused | declined):
        parts = [f"{fixed[rule]} {'to fix' if would else 'fixed'}"]
        parts += [f"{refused[rule]} refused"] if refused[rule] else []
        parts += [f"{unsafe[rule]} only with --unsafe-fixes"] if unsafe[rule] else []
        parts += [f"{declined[rule]} left as is"] if declined[rule] else []
        yield f"{rule}: {', '.join(parts)}"
    if not fixed and not any(skipped.failed for skipped in plan.skipped) and (plan.files_seen or not plan.skipped):
        nothing = "nothing to fix" if plan.remaining or plan.declined else "nothing found"
        lost = len(missed(plan.skipped))
        less = f"; {_counted(lost, 'file')} {'was' if lost == 1 else 'were'} not looked at" if lost else ""
        yield f"{nothing} in {_counted(plan.files_seen, 'file')}{less}"
    later = [finding for finding in plan.appeared if finding in plan.remaining]  # not in the tree as it was
    if later:
        yield f"refused {'once' if would else 'now that'} this is done:"
    for reason in dict.fromkeys(finding.reason for finding in later):
        places = list(dict.fromkeys(f"{each.path}:{each.span.line}" for each in later if each.reason == reason))
        more = f" and {_counted(len(places) - _MOST_PLACES, 'other place')}" if len(places) > _MOST_PLACES else ""
        yield f"  {', '.join(places[:_MOST_PLACES])}{more}: {reason}"
    if refused.total() > len(later):
        yield f"`spawnfix check` shows {'the others with their reasons' if later else 'each with its reason'}"


def _all(lines: Iterable[str], say: Say) -> None:
    for line in lines:
        say(line)


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
