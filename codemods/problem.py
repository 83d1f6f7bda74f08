"""What went wrong in words for the person at the terminal."""

from __future__ import annotations


class Problem(Exception):
    """Something the user can act on: the message is one line, without "error:", and ends the run with exit code 2."""

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.split()))
