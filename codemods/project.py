"""One repository as the rules see it: files, their text and syntax trees, each computed once and on demand."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any, Protocol, TypeVar

from .finding import Confidence, Skipped
from .reads import PLAIN, Answered, Notes, Noting, Question, Reads
from .settings import Settings
from .text_marks import MARKS, Mark, lines_with
from .tree.files import Files
from .tree.parse import NotParsed, parsed
from .tree.reading import MAX_BYTES, MAX_TEXT, unread
from .tree.source import Source, UnreadableSource
from .word_index import WordIndex, is_word, words_of

T = TypeVar("T")

_STARRED = re.compile(r"import[ \t]+\*")
_STAR = re.compile(r"^[ \t]*from[ \t]+(\S+)[ \t]+import[ \t]+\*", re.MULTILINE)
# Nodes of the value flow that one run follows: 3.6 KB each with what is made of them, so 5 GB. The largest repository
# seen has 632 000 (Megatron-LM, 20 MB: 31 000 in 1 MB of code); 1 MB of nothing but calls has 120 000.
MAX_NODES = 1_300_000
MAX_TREES = 24 * 1024 * 1024  # characters whose syntax trees are kept from rule to rule: some 0.9 GB


class Project:
    """Read access to all files of a run; `changed()` gives the same project with some files replaced.

    `bar`: rules need not find what is below it, but in the files `careful`.
    """

    def __init__(
        self, files: Files, settings: Settings | None = None, bar: Confidence = Confidence.POSSIBLE,
        careful: frozenset[str] = frozenset(),
    ) -> None:  # fmt: skip
        self.files = files
        self.settings = settings or Settings()
        self.bar, self.careful = bar, careful
        self.skipped: dict[str, Skipped] = {}
        self._overlay: dict[str, Source] = {}
        self._sources: dict[str, Source | None] = {}
        self._room = [MAX_TEXT]  # bytes that may still be read, here and in what `changed()` makes
        self._modules: dict[str, ast.Module | None] = {}
        self._python2: set[str] = set()
        self._derived: dict[object, tuple[Any, Reads]] = {}
        self.notes = Notes()
        self.known: dict[Question, Any] = {}  # answers of an earlier run that are still right, see `Reads.answers`
        self.asked: dict[Question, Answered] = {}
        self._by_key: dict[str, dict[str, tuple[str, ...]]] = {}
        self.recall: Callable[[Question], Answered | None] = _unknown  # the answers of an earlier run that are good
        self._by_text: dict[type, dict[str, Any]] = {}
        self._by_tree: dict[type, dict[str, Any]] = {}
        self._of_trees: dict[object, tuple[Any, Reads]] = {}  # see `working_with`
        self._fresh: list[str] = []  # files whose trees `release` has not seen yet
        self._left_out: set[str] = set()
        self._kept = 0  # characters that the trees are of which `release` let stay

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """Every file of the run, sorted."""
        return tuple(entry.path for entry in self.files.entries())

    @cached_property
    def python_paths(self) -> tuple[str, ...]:
        """The `*.py` files, sorted."""
        return tuple(path for path in self.paths if path.endswith(".py"))

    def noting(self, reads: Reads | None) -> Noting:
        """Note in `reads` what is asked for in the block; what is around it learns nothing."""
        return Noting(self.notes, reads)

    def note_text(self, path: str) -> None:
        """Note that the file `path` is asked for."""
        if self.notes.reads is not None:
            self.notes.reads.texts.add(path)

    def note_tree(self, path: str) -> None:
        """Note that the syntax tree of the Python file `path` is asked for, and nothing else of it."""
        if self.notes.reads is not None:
            self.notes.reads.trees.add(path)

    def data(self, path: str) -> bytes:
        """The bytes of a file, as it is in `files`. Raises OSError."""
        self.note_text(path)
        return self.files.read(path)

    def source(self, path: str) -> Source | None:
        """The text of a file; None (and a `skipped` entry) when it can't be read or decoded."""
        self.note_text(path)
        return self._source(path)

    def _source(self, path: str) -> Source | None:
        if path in self._overlay:
            return self._overlay[path]
        if path not in self._sources:
            self._sources[path] = self._read(path)
        return self._sources[path]

    def _read(self, path: str) -> Source | None:
        try:
            data = self.files.read(path)
            if len(data) > MAX_BYTES:
                raise UnreadableSource(f"larger than {MAX_BYTES // 2**20} MiB")
            self._room[0] -= len(data)
            if self._room[0] < 0:
                most = f"{MAX_TEXT // 2**20} MiB"
                raise UnreadableSource(f"left out: more than {most} of text; `exclude` in the settings helps")
            return Source.from_bytes(path, data)
        except UnreadableSource as error:
            self.skipped[path] = Skipped(path, str(error))
        except OSError as error:
            self.skipped[path] = unread(path, error)
        return None

    def module(self, path: str) -> ast.Module | None:
        """The syntax tree of a Python file; None (and a `skipped` entry) when it does not parse."""
        self.note_tree(path)
        if path not in self._modules:
            self._modules[path] = self._parse(path)
            self._fresh.append(path)
        return self._modules[path]

    def _parse(self, path: str) -> ast.Module | None:
        source = self._source(path)
        found = None if source is None else parsed(source)
        if not isinstance(found, NotParsed):
            return found
        self.skipped[path] = Skipped(path, found.reason, partly=found.python2)
        if found.python2:
            self._python2.add(path)
        return None

    def skip(self, path: str, reason: str, partly: bool = False) -> None:
        """Note that `path` can't be looked at; `partly`: not by one rule, or not all of it."""
        self.skipped[path] = Skipped(path, reason, partly=partly)

    def leave_out(self, path: str, reason: str) -> None:
        """Treat a Python file as one that does not parse."""
        self.skip(path, reason)
        self._left_out.add(path)
        self._modules[path] = None

    @property
    def limited(self) -> bool:
        """True once files were left out because of all that was read before them."""
        return bool(self._left_out) or self._room[0] < 0

    def release(self) -> None:
        """Let go of syntax trees beyond MAX_TREES. Nobody may hold a node of one over this call."""
        for path in self._fresh:
            source = self._source(path) if self._modules[path] is not None else None
            if source is None:
                continue
            if self._kept + len(source.text) <= MAX_TREES:
                self._kept += len(source.text)
                continue
            self._modules.pop(path, None)
            for values in self._by_tree.values():
                values.pop(path, None)
            self._of_trees = {}
        self._fresh = []

    @property
    def python2_paths(self) -> tuple[str, ...]:
        """Files that were found to be Python 2 so far (`module` looks), sorted."""
        if self.notes.reads is not None:
            self.notes.reads.parsed = True  # it takes a look at every file to know them
            self.notes.reads.texts |= self._python2
        return tuple(sorted(self._python2))

    def matching(
        self,
        pattern: re.Pattern[str],
        *,
        word: str = "",
        words: Iterable[str] = (),
        like: re.Pattern[str] | None = None,
        part: str = "",
        within: re.Pattern[str] | None = None,
        among: Container[str] | None = None,
    ) -> Iterator[Source]:
        """Sources of the Python files whose text has a match of `pattern`; see `paths_matching`."""
        for path in self.paths_matching(
            pattern, word=word, words=words, like=like, part=part, within=within, among=among
        ):
            source = self.source(path)
            if source is not None:
                yield source

    def paths_matching(
        self,
        pattern: re.Pattern[str],
        *,
        word: str = "",
        words: Iterable[str] = (),
        like: re.Pattern[str] | None = None,
        part: str = "",
        within: re.Pattern[str] | None = None,
        among: Container[str] | None = None,
    ) -> Iterator[str]:
        """The Python files whose text has a match of `pattern`, sorted. Nothing else of the text counts as asked for.

        What every match holds saves most of the search: `word`, as a whole word; one of `words`, as whole words; a
        whole word that `like` matches; `part`, anywhere; what `within` matches, where that is found faster. `among`:
        no other files than these.
        """
        if word and not is_word(word):
            word, part = "", word
        wanted = (word,) if word else tuple(words)
        if self.notes.reads is not None:
            self.notes.reads.patterns.add((pattern.pattern, pattern.flags, part, wanted))
        paths: Sequence[str] = self.python_paths
        if wanted:
            paths = self._words.paths(wanted)
        elif like is not None:
            paths = self._words.paths_like(like)
        for path in paths:
            source = self._source(path) if among is None or path in among else None
            if source is None or part not in source.text or (within is not None and not within.search(source.text)):
                continue
            if pattern.search(source.text):
                yield path

    def lines_with(self, word: str) -> Iterator[tuple[str, str, str]]:
        r"""Each place of Python files where `word` stands as a whole word: (path, the line before it, and after it).

        Lines end at `\n`, as for the patterns that this takes the place of. `word` is one stretch of `\w`.
        """
        for path in self.with_words((word,)):
            source = self.source(path)
            for line in lines_with(source.text, word) if source is not None else ():
                yield path, *line

    def marked(self, mark: Mark, word: str) -> list[str]:
        """The Python files in which `word` stands as `mark` says, see `text_marks`; sorted."""
        if self.notes.reads is not None:
            self.notes.reads.marks.add((mark, word))
        is_marked = MARKS[mark]
        sources = map(self._source, self._words.paths((word,)))
        return [source.path for source in sources if source is not None and is_marked(source.text, word)]

    def with_words(self, words: Iterable[str]) -> list[str]:
        """The Python files in whose text one of `words` stands as a whole word, sorted."""
        words = tuple(words)
        found = self._words.paths(words)
        if self.notes.reads is not None:
            self.notes.reads.words.update(words)
        return found

    def words_among(self, path: str, words: frozenset[str]) -> frozenset[str]:
        """Those of `words` that stand in a Python file as whole words."""
        source = self.source(path)
        if source is None:
            return frozenset()
        if "_words" not in self.__dict__:  # not worth it for one file
            return words_of(source.text) & words
        return self._words.among(path, words)

    def may_define(self, name: str) -> list[str]:
        """The Python files in whose text `name` stands after `def` or `class`, sorted."""
        found = self._defining.get(name, [])
        if self.notes.reads is not None:
            self.notes.reads.names.add(name)
        return found

    @cached_property
    def _defining(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path in self.python_paths:
            source = self._source(path)
            for name in source.may_define if source is not None else ():
                found.setdefault(name, []).append(path)
        return found

    @cached_property
    def _words(self) -> WordIndex:
        sources = map(self._source, self.python_paths)
        texts = {source.path: source.text for source in sources if source is not None}
        return WordIndex(texts, texts.get)

    def holds(self, path: str, pattern: re.Pattern[str] | str) -> bool:
        """True when the text of a Python file has a match of `pattern`, or the text `pattern`."""
        source = self._source(path)
        found = source is not None and (
            pattern in source.text if isinstance(pattern, str) else pattern.search(source.text) is not None
        )
        if self.notes.reads is not None:
            probe = (pattern, PLAIN) if isinstance(pattern, str) else (pattern.pattern, pattern.flags)
            self.notes.reads.probes.setdefault(path, {})[probe] = found
        return found

    def ask(self, question: Question, find: Callable[[], T]) -> T:
        """What `find` gives, a plain value, computed once; see `questions.asked`.

        Whoever asks depends on the answer, and not on what was read for it.
        """
        known = self.asked.get(question) or self.recall(question)
        if known is None:
            reads = Reads()
            with self.noting(reads):
                known = Answered(find(), reads.done())
        self.asked[question] = known
        if self.notes.reads is not None:
            self.notes.reads.asked.add(question)
        answer: T = known.answer
        return answer

    def with_key(self, keys: KeysOfFile, key: str) -> tuple[str, ...]:
        """The Python files of which the question `keys`, asked for each, gives `key`; sorted."""
        index = self._by_key.get(keys.name)
        if index is None:
            found: dict[str, list[str]] = {}
            with self.noting(None):
                for path in self.python_paths:
                    for each in dict.fromkeys(keys(self, path)):
                        found.setdefault(each, []).append(path)
            index = self._by_key[keys.name] = {each: tuple(paths) for each, paths in found.items()}
        paths = index.get(key, ())
        if self.notes.reads is not None:
            self.notes.reads.keys[keys.name, key] = paths
        return paths

    def note_facts(self) -> None:
        """Note that the facts of all files are asked for, wherever the places that they name are."""
        if self.notes.reads is not None:
            self.notes.reads.facts = True

    @property
    def star_imported(self) -> frozenset[str]:
        """Last names of the modules that some file imports `*` from."""
        return self.derive(_star_imported)

    def bar_of(self, path: str) -> Confidence:
        """The confidence below which nobody asks for findings in a file."""
        return Confidence.POSSIBLE if path in self.careful else self.bar

    @property
    def lowest_bar(self) -> Confidence:
        """The confidence below which nobody asks for findings in any file."""
        return Confidence.POSSIBLE if self.careful else self.bar

    def derive(self, make: Callable[[Project], T]) -> T:
        """What `make` gives for this project, computed once: the value flow, say.

        It is kept as long as no Python file changes, so `make` may read nothing but Python files and settings.
        """
        if make not in self._derived:
            reads = Reads()
            with self.noting(reads):
                self._derived[make] = make(self), reads
        value: T
        value, reads = self._derived[make]
        if self.notes.reads is not None:
            self.notes.reads.add(reads)
        return value

    @contextmanager
    def working_with(self, make: Callable[[Project], T]) -> Iterator[T]:
        """What `make` gives for this project, made once, for a block: it holds nodes of trees, and goes with the first.

        It learns as it is asked, so whoever works with it depends on all that was ever read for it.
        """
        value, reads = self._of_trees.get(make) or (None, Reads())
        try:
            with self.noting(reads):
                if value is None:
                    value = make(self)
                    self._of_trees[make] = value, reads
                yield value
        except Exception:
            self._of_trees.pop(make, None)  # it may be half done
            raise
        if self.notes.reads is not None:
            self.notes.reads.add(reads)

    def by_text(self, kind: type[T]) -> dict[str, T]:
        """Values of `kind` by path, for their maker to fill; `changed()` keeps those of the files left alone."""
        return self._by_text.setdefault(kind, {})

    def by_tree(self, kind: type[T]) -> dict[str, T]:
        """As `by_text`, for values that hold nodes of a file's syntax tree: they are let go with the tree."""
        return self._by_tree.setdefault(kind, {})

    def changed(self, texts: Mapping[str, str]) -> Project:
        """This project with the text of some files replaced; what was made for the others is kept."""
        after = Project(self.files, self.settings, self.bar, self.careful)
        after._sources, after._room, after.skipped = self._sources, self._room, dict(self.skipped)
        after.notes = self.notes
        after._overlay, after._left_out = dict(self._overlay), self._left_out
        for path, text in texts.items():
            before = self.source(path)
            assert before is not None
            after._overlay[path] = Source(path, text, before.encoding, before.bom)
        after._modules = {path: tree for path, tree in self._modules.items() if path not in texts}
        after._fresh = [*after._modules]
        after._python2 = self._python2 - set(texts)
        for old, new in ((self._by_text, after._by_text), (self._by_tree, after._by_tree)):
            for kind, values in old.items():
                new[kind] = {path: value for path, value in values.items() if path not in texts}
        if "_words" in self.__dict__:
            after._words = self._words.changed((path, text) for path, text in texts.items() if path.endswith(".py"))
        if not any(path.endswith(".py") for path in texts):
            after._derived = dict(self._derived)
        return after

    def forget(self) -> None:
        """Let go of what is known of an earlier run, and of what refers back to this project: no collector runs."""
        self.recall, self._of_trees = _unknown, {}

    def settled(self) -> None:
        """Free what was made to look at this project, which another has taken the place of."""
        self._derived, self._by_text, self._by_tree, self._of_trees = {}, {}, {}, {}
        self._modules, self._fresh = {}, []

    @property
    def written(self) -> Mapping[str, Source]:
        """The files whose text is not that of `files` any more, by path."""
        return self._overlay

    def original(self, path: str) -> Source | None:
        """As `source`, before any change."""
        return self._sources.get(path) if path in self._overlay else self.source(path)

    def without(self, path: str) -> Project:
        """This project with one file that can't be read (a rule fails on it); `skipped` stays shared."""
        after = self.changed({})
        after.skipped = self.skipped
        after._derived = {}
        after._sources = {**self._sources, path: None}
        after._overlay.pop(path, None)
        after.__dict__.pop("_words", None)
        after.__dict__.pop("_defining", None)
        after._modules[path] = None
        after._python2 = self._python2 - {path}
        for values in after._by_text.values():
            values.pop(path, None)
        return after


class KeysOfFile(Protocol):
    """A question about one file, see `questions.asked`, whose answer is what the file can be found under."""

    @property
    def name(self) -> str:
        """What the question begins with."""

    def __call__(self, project: Project, path: str, /) -> tuple[str, ...]:
        """The answer for a file."""


def _unknown(question: Question) -> None:
    """There was no earlier run."""


def _star_imported(project: Project) -> frozenset[str]:
    found = (match[1] for source in project.matching(_STARRED, part="*") for match in _STAR.finditer(source.text))
    return frozenset(module.rpartition(".")[2] for module in found)
