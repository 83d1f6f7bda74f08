"""The index of words: the files that a search for the word would find, without a search per question."""

from __future__ import annotations

import re
from typing import Any

import pytest

from codemods import project as project_module
from codemods.project import Project
from codemods.tree.files import MemoryFiles
from codemods.word_index import WordIndex, words_of
from harness.each_row import each_row

TEXTS = {
    "a.py": "DataLoader(x)\nmy_DataLoader = 1\n",
    "b.py": "MyDataLoader = 2  # DataLoaders\n",
    "c.py": "été = 'DataLoader'\n",
    "d.txt": "DataLoader\n",
}


def project(texts: dict[str, str] = TEXTS) -> Project:
    return Project(MemoryFiles({path: text.encode() for path, text in texts.items()}))


def searched(of: Project, word: str) -> list[str]:
    pattern = re.compile(rf"\b{re.escape(word)}\b")
    sources = [of.source(path) for path in of.python_paths]
    return [source.path for source in sources if source is not None and pattern.search(source.text)]


@each_row("word", ["DataLoader", "MyDataLoader", "été", "x", "1", "nothing", "t"])
def test_as_a_search_for_the_word(word: str) -> None:
    of = project()
    assert of.with_words((word,)) == searched(of, word)
    assert [source.path for source in of.matching(re.compile(word), word=word)] == searched(of, word)


def test_words_that_are_like_a_pattern() -> None:
    of, like = project(), re.compile(r"\w*_?DataLoader")
    assert [source.path for source in of.matching(like, like=like)] == ["a.py", "b.py", "c.py"]
    assert [source.path for source in of.matching(like, like=like, among={"b.py", "d.txt"})] == ["b.py"]
    assert WordIndex(TEXTS, TEXTS.get).paths_like(like) == ["a.py", "b.py", "c.py", "d.txt"]
    assert WordIndex(TEXTS, TEXTS.get).paths_like(re.compile(r"my\w+|x")) == ["a.py"]  # no other file is read
    after = of.changed({"a.py": "DataLoaders\n", "c.py": "TheDataLoader\n"})
    assert [source.path for source in after.matching(like, like=like)] == ["b.py", "c.py"]


def test_what_is_no_word_is_searched_for() -> None:
    of = project({"a.py": "import my-module\n", "b.py": "import my\n"})
    assert [source.path for source in of.matching(re.compile("my-module"), word="my-module")] == ["a.py"]


def test_changes_count_and_the_project_before_stays() -> None:
    before = project()
    assert before.with_words(("DataLoader",)) == ["a.py", "c.py"]
    after = before.changed({"a.py": "nothing\n", "b.py": "DataLoader\n"})
    again = after.changed({"a.py": "DataLoader\n", "c.py": ""})
    assert after.with_words(("DataLoader",)) == ["b.py", "c.py"] == searched(after, "DataLoader")
    assert again.with_words(("DataLoader", "nothing")) == ["a.py", "b.py"]
    assert before.with_words(("DataLoader",)) == ["a.py", "c.py"]
    assert before.with_words(("nothing",)) == []


def test_left_out_file_is_found_no_more() -> None:
    of = project()
    assert of.with_words(("x",)) == ["a.py"]
    assert of.without("a.py").with_words(("x",)) == []


def test_texts_are_read_once_for_all_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many questions cost one look at each text."""
    looked: list[str] = []
    words_of = project_module.WordIndex.__init__.__globals__["words_of"]

    def counting(text: str | None) -> Any:
        looked.append(text or "")
        return words_of(text)

    monkeypatch.setitem(project_module.WordIndex.__init__.__globals__, "words_of", counting)
    of = project()
    for number in range(100):
        of.with_words((f"name{number}",))
    assert len(looked) == 3


def test_lines_around_a_word() -> None:
    of = project({"a.py": "  @x.wrap.y\nwrap(1)\nunwrap\n", "b.py": "y = wrap"})
    assert [*of.lines_with("wrap")] == [("a.py", "  @x.", ".y"), ("a.py", "", "(1)"), ("b.py", "y = ", "")]


def test_an_index_after_a_change_knows_the_new_words() -> None:
    index = project()._words.changed([("a.py", "changed = 1\n")])
    assert index.paths(("changed",)) == ["a.py"]
    assert index.paths(("nothing",)) == []


@pytest.mark.parametrize("indexed", [False, True])
def test_words_of_one_file(indexed: bool) -> None:
    of, words = project(), frozenset(("DataLoader", "MyDataLoader", "x", "nothing"))
    if indexed:
        assert of.with_words(("x",)) == ["a.py"]
    assert [of.words_among(path, words) for path in of.python_paths] == [
        {"DataLoader", "x"},
        {"MyDataLoader"},
        {"DataLoader"},
    ]
    after = of.changed({"b.py": "x\n"})
    assert after.words_among("b.py", words) == {"x"} and after.words_among("a.py", words) == {"DataLoader", "x"}
    assert not of.words_among("none.py", words)


@each_row(
    "text", ["def f(a_1):\r\n\treturn a.b\x0c+'c-d'", "\x1f\x1ca\x0bb\x00c\x7fd", "Ünïcode and ²", "", "1e5 _x __y__"]
)
def test_words_of_a_text(text: str) -> None:
    assert words_of(text) == frozenset(re.findall(r"\w+", text))
