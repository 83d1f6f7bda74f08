"""What the words of an error say about its cause: the rows that rules and `diagnose` are made of."""

from __future__ import annotations

from dataclasses import dataclass

# Parts of patterns. The words drift from one Python to the next, so names and types are written in several ways.
# A word like "local" or "this" is no type: "can't pickle local objects".
TYPE_IN_ERROR = r"(?:_io\.)?(?P<type>(?!(?:local|this|that|the|an?|any|some|such|these|python)\b)[\w.<>]+)"
NAME_IN_ERROR = (
    r"(?:'(?P<name>[^'\"]+)['\"]|<function (?P<name2>\S+) at 0x\w+>|<class '(?P<name3>[^']+)'>"
    r"|['\"]?(?P<name4>[\w.]*<(?:locals|lambda)>[\w.<>]*))"
)


@dataclass(frozen=True)
class KnownError:
    """A family of errors that have one cause, recognised by their words.

    `pattern` is searched for in the line of the error, in any case; its groups `type` and `name` (`name2`, `name3`,
    `name4`) are the type of the value and the qualified name of a function, class or variable. `examples` are messages
    that Python or a library really gives; a test sees that this row recognises them, and no other does.
    """

    pattern: str
    cause: str
    advice: str
    general: bool = False  # tried after all others: its words are part of theirs
    secondary: bool = False  # the error that matters is another one, elsewhere
    named_only: bool = False  # of the rule's findings only those whose line has the name that the error gives
    in_own_code: str = ""  # one line for the user's own code ({0}: path of the value) where the class is installed
    source: tuple[tuple[str, str], ...] = ()  # (pattern of the type, pattern of the line or message of a finding)
    family: str = ""  # a short name; "" where the rule's id says enough
    symptom: bool = False  # has an advice of its own, but where a cause is known that one counts
    harmless: bool = False  # a warning; a program that shows nothing else has not failed
    noise: bool = False  # a warning that says nothing of the fault that a text describes or its frames show
    unfinished: bool = False  # a source line: counts only where the last line of the traceback is missing
    question: bool = False  # its words fit other causes too: asked, not stated
    exact: bool = False  # words that are only like its own say nothing: never offered as the nearest row
    own: bool = False  # the advice is for the code that failed; where that is an installed package's, it is said
    context: str = ""  # what the error's line or the lines of its traceback must match too
    unless: str = ""  # what they must not match
    reference: str = ""  # where it is documented
    examples: tuple[str, ...] = ()
