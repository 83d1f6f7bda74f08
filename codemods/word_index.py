"""Which files hold a word: looked up in place of a search through every text, which costs as often as it is asked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

_WORDS = re.compile(r"\w+")
_BLANKED = bytes(code if _WORDS.fullmatch(chr(code)) else 32 for code in range(128)) + bytes(128)


def is_word(text: str) -> bool:
    r"""True for what stands in a text as a whole word: one stretch of `\w`."""
    return _WORDS.fullmatch(text) is not None


class WordIndex:
    """Paths by the words of their text. `text` gives the text of a path, None where it can't be read."""

    def __init__(self, paths: Iterable[str], text: Callable[[str], str | None]) -> None:
        self._paths: dict[str, list[str]] = {}
        self._anew: dict[str, frozenset[str]] = {}  # words of the files that changed since
        self._among: dict[frozenset[str], dict[str, frozenset[str]]] = {}  # see `among`
        for path in paths:
            for word in words_of(text(path)):
                self._paths.setdefault(word, []).append(path)

    def paths(self, words: Iterable[str]) -> list[str]:
        """The files that hold one of `words` as a whole word, sorted."""
        words = [*dict.fromkeys(words)]
        if len(words) == 1 and not self._anew:
            return self._paths.get(words[0], [])
        found = {path for word in words for path in self._paths.get(word, ()) if path not in self._anew}
        found |= {path for path, own in self._anew.items() if not own.isdisjoint(words)}
        return sorted(found)

    def paths_like(self, pattern: re.Pattern[str]) -> list[str]:
        """The files that hold a word that `pattern` matches whole, sorted."""
        whole = re.compile(f"^(?:{pattern.pattern})$", pattern.flags | re.MULTILINE)  # one search, not one for each
        words = [match[0] for match in whole.finditer("\n".join(self._paths))]
        found = {path for word in words for path in self._paths[word] if path not in self._anew}
        found |= {path for path, own in self._anew.items() if any(map(pattern.fullmatch, own))}
        return sorted(found)

    def among(self, path: str, words: frozenset[str]) -> frozenset[str]:
        """Those of `words` that a file holds as whole words. `words`: a few sets, which are asked about many files."""
        if path in self._anew:
            return self._anew[path] & words
        if words not in self._among:
            found: dict[str, list[str]] = {}
            for word in words:
                for holder in self._paths.get(word, ()):
                    found.setdefault(holder, []).append(word)
            self._among[words] = {holder: frozenset(own) for holder, own in found.items()}
        return self._among[words].get(path, frozenset())

    def changed(self, texts: Iterable[tuple[str, str | None]]) -> WordIndex:
        """The index after these files (of those known) got other texts; this one stays as it is."""
        after = WordIndex((), lambda path: None)
        after._paths, after._among = self._paths, self._among
        after._anew = self._anew | {path: words_of(text) for path, text in texts}
        return after


def words_of(text: str | None) -> frozenset[str]:
    """Every word of a text."""
    if text is None:
        return frozenset()
    if text.isascii():  # nearly all: blanks for what is no letter, and a cut at blanks, take half of the time
        return frozenset(text.encode("ascii").translate(_BLANKED).decode("ascii").split())
    return frozenset(_WORDS.findall(text))
