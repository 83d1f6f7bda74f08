"""`migrate --interactive`: the changes of a review one after the other, each decision saved as it is made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rich.console import Console

from ..engine.selection import Selector
from .blocks import change_block, show_hunks, trace_block
from .decided import edited_change
from .decisions import Choice, Decisions
from .hunks import wider
from .model import Change, Review
from .patch_text import BadPatch, patch_text
from .printing import place, printed, prose

MORE_CONTEXT = 8  # lines that each `c` adds above and below
HELP = """\
y  make this change                        n  leave it out
a  make all that is left of this rule      d  leave out all that is left of this rule
A  make all that is left of this file      D  leave out all that is left of this file
s  decide later                            u  undo the last decision
t  show the trace: how the value gets to the process boundary
c  show more lines around                  e  edit the patch in $EDITOR; it is checked again
/  search: go to the next change with a text
q  quit; what was decided is saved, nothing is changed
?  this help"""
EDIT_HELP = """\
# Edit the lines that start with "+", or turn "-" lines into lines that stay (replace "-" by a blank).
# Lines that start with a blank must stay as they are. The result is checked as every fix is.
# Save an empty file to give up.
"""


@dataclass(frozen=True)
class Keyboard:
    """Where the answers come from: a key, a line of text (None: given up), a text after an editor (None: given up)."""

    key: Callable[[], str]
    line: Callable[[str], str | None]
    edit: Callable[[str], str | None]


class Interview:
    """Asks about the changes of `review`. `save` is called with the decisions after each of them."""

    def __init__(
        self,
        review: Review,
        selector: Selector,
        decisions: Decisions,
        keyboard: Keyboard,
        out: Console,
        save: Callable[[Decisions], None],
    ) -> None:
        self.review, self.selector, self.keyboard, self.out, self.save = review, selector, keyboard, out, save
        self.decisions = decisions
        self.history: list[tuple[int, Decisions]] = []
        self.at = -1

    def run(self) -> bool:
        """Asks until all is decided or the user quits; True when the accepted changes are to be made now."""
        self._next()
        while True:
            if self.at < len(self.review.changes):
                if not self._ask(self.review.changes[self.at]):
                    return False
            else:
                answer = self._confirm()
                if answer is not None:
                    return answer

    def _choice(self, change: Change) -> Choice:
        return self.decisions.of(change).choice

    def _next(self) -> None:
        """On to the next change that is not decided; behind the last one when there is none."""
        self.at += 1
        while self.at < len(self.review.changes):
            change = self.review.changes[self.at]
            if self._choice(change) is Choice.UNDECIDED and not self._baseless(change):
                return
            self.at += 1

    def _baseless(self, change: Change) -> bool:
        """True when `change` builds on one that was rejected."""
        by_id = self.review.by_id()
        return any(self._choice(by_id[id]) is Choice.REJECTED for id in change.requires)

    def _ask(self, change: Change) -> bool:
        changes = self.review.changes
        left = sum(self._choice(other) is Choice.UNDECIDED for other in changes)
        position = f"{self.at + 1} of {len(changes)}" + (f", {left} to decide" if left > 1 else "")
        change_block(self.out, self.review, change, position)
        context = 0
        while True:
            key = self._key("Make this change? [y,n,a,d,A,D,s,u,t,c,e,/,q,?] ")
            if key == "q":
                return False
            if key in "yn":
                self._decide([change], Choice.ACCEPTED if key == "y" else Choice.REJECTED)
                return True
            if key in "adAD":
                same = [other for other in changes if self._like(other, change, by_file=key in "AD")]
                self._decide(same, Choice.ACCEPTED if key in "aA" else Choice.REJECTED)
                return True
            if key == "s":
                self._next()
                return True
            if key == "u":
                if self._undo():
                    return True
            elif key == "t":
                trace_block(self.out, self.review.root, change.trace)
            elif key == "c":
                context += MORE_CONTEXT
                self._wider(change, context)
            elif key == "e":
                if self._edit(change):
                    return True
            elif key == "/":
                if self._search():
                    return True
            else:
                printed(self.out, HELP)

    def _like(self, other: Change, change: Change, by_file: bool) -> bool:
        if other is change:
            return True
        if self._choice(other) is not Choice.UNDECIDED:
            return False
        return other.path == change.path if by_file else other.rule == change.rule

    def _decide(self, changes: list[Change], choice: Choice, edit: str = "") -> None:
        by_id = self.review.by_id()
        self.history.append((self.at, self.decisions))
        for change in changes:
            if choice is Choice.ACCEPTED:
                for id in change.requires:  # to take it means to take what it builds on
                    if self._choice(by_id[id]) is Choice.UNDECIDED:
                        self.decisions = self.decisions.with_decision(by_id[id], choice)
            self.decisions = self.decisions.with_decision(change, choice, edit=edit)
        self.save(self.decisions)
        if len(changes) > 1:
            printed(self.out, (f"{len(changes)} changes {choice.value}", "bold"))
        self._next()

    def _undo(self) -> bool:
        if not self.history:
            printed(self.out, "nothing to undo")
            return False
        self.at, self.decisions = self.history.pop()
        self.save(self.decisions)
        return True

    def _wider(self, change: Change, context: int) -> None:
        hunks = change.hunks
        if change.requires:
            printed(self.out, "no more lines: this change builds on another one")
        else:
            hunks = tuple(wider(hunk, self.review.sources[hunk.path], context) for hunk in hunks)
        show_hunks(self.out, self.review.root, hunks)

    def _edit(self, change: Change) -> bool:
        before = self.decisions.of(change).edit or patch_text(change.hunks)
        after = self.keyboard.edit(EDIT_HELP + before)
        if after is None or not after.strip():
            printed(self.out, "not edited")
            return False
        patch = "".join(f"{line}\n" for line in after.removesuffix("\n").split("\n") if not line.startswith("#"))
        if patch == before:
            printed(self.out, "not edited")
            return False
        try:
            why = self.selector.why_not(change.number, edited_change(change, patch, self.review))
        except BadPatch as wrong:
            why = str(wrong)
        if why is not None:
            prose(self.out, "the edited change can't be made: ", "red", why, indent=0)
            return False
        self._decide([change], Choice.ACCEPTED, edit=patch)
        printed(self.out, ("the edited change passes the checks and is accepted", "green"))
        return True

    def _search(self) -> bool:
        wanted = self.keyboard.line("/")
        if not wanted:
            return False
        changes = self.review.changes
        for step in range(1, len(changes) + 1):
            index = (self.at + step) % len(changes)
            if any(wanted.lower() in text.lower() for text in _texts(changes[index])):
                self.at = index
                return True
        printed(self.out, f"nothing with {wanted!r}")
        return False

    def _confirm(self) -> bool | None:
        """True: make the changes; False: not now; None: go on asking."""
        choices = [self._choice(change) for change in self.review.changes]
        counts = {choice: choices.count(choice) for choice in Choice}
        listed = ", ".join(f"{counts[choice]} {choice.value}" for choice in Choice if counts[choice])
        printed(self.out, (f"All asked: {listed}.", "bold"))
        if not counts[Choice.ACCEPTED]:
            later = "u: undo, r: ask again about all, other keys: end"
            key = self._key(f"Nothing to change. [{later}] ")
        else:
            number = counts[Choice.ACCEPTED]
            what = "this change" if number == 1 else f"these {number} changes"
            key = self._key(f"Make {what} now? [y: yes, n: not now, u: undo, r: ask again about all, l: list] ")
        if key == "u":
            self._undo()
            return None
        if key == "r":
            self.history.append((self.at, self.decisions))
            self.decisions = self.decisions.without(change.id for change in self.review.changes)
            self.save(self.decisions)
            self.at = -1
            self._next()
            return None
        if key == "l":
            for change in self.review.changes:
                choice = self._choice(change).value
                where = f"{place(self.review.root, change.path)}:{change.line}"
                printed(self.out, f"  {choice:<9}  {where}  {change.rule}")
            return None
        if key == "y" and counts[Choice.ACCEPTED]:
            return True
        return False if key in ("n", "q") or not counts[Choice.ACCEPTED] else None

    def _key(self, question: str) -> str:
        self.out.print(question, end="", style="bold", soft_wrap=True, highlight=False, markup=False)
        key = self.keyboard.key()
        printed(self.out, key if key.isprintable() else "")
        if key in ("\x04", "\x1a", ""):  # end of input
            return "q"
        return key if len(key) == 1 and key.isprintable() else "?"


def _texts(change: Change) -> list[str]:
    lines = [line for hunk in change.hunks for line in hunk.lines]
    return [change.rule, change.path, change.scope, change.title, change.why, *lines]
