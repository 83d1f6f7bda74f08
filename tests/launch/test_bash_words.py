"""What the words of a command stand for, and in which folder it runs."""

from __future__ import annotations

from codemods.launch.bash import HERE, read
from harness.each_row import each_row


def last(text: str) -> tuple[list[str | None], tuple[str | None, ...]]:
    """The words behind the first of the last command, and its folders."""
    command = read("run/a.sh", text).commands[-1]
    return [word.value for word in command.words[1:]], command.folders


@each_row(
    ("word", "value"),
    [
        ("a", "a"),
        (r"a\ b", "a b"),
        ("'a b'", "a b"),
        ('"a b"', "a b"),
        ('a"b"c', "abc"),
        ("$0", f"{HERE}/a.sh"),
        ("${0}", f"{HERE}/a.sh"),
        ("${0%/*}", HERE),
        ("${0%.sh}", None),
        ("${0##*/}", None),
        ("${BASH_SOURCE}", f"{HERE}/a.sh"),
        ("${BASH_SOURCE[0]}", f"{HERE}/a.sh"),
        ("${BASH_SOURCE[0]%/*}", HERE),
        ("$PWD", "."),
        ("${PWD}", "."),
        ("${PWD:-x}", "."),
        ("${PWD##*/}", None),
        ("$(pwd)", "."),
        ("`pwd`", "."),
        ('"a$(pwd)b"', "a.b"),
        ("$(pwd; ls)", None),
        ("$(A=1 pwd)", None),
        ("$(dirname a/b)", "a"),
        ("$(dirname a b)", None),
        ("$(dirname)", None),
        ("$(dirname $0)", HERE),
        ('"$(dirname "${BASH_SOURCE[0]}")"', HERE),
        ("$(dirname $(dirname $0))", f"{HERE}/.."),
        ('"$(dirname "$(dirname a/b/c)")"', "a"),
        ("$(realpath a)", "a"),
        ("$(realpath -s a)", "a"),
        ("$(realpath a b)", None),
        ("$(readlink -f a)", "a"),
        ("$(cd a && pwd)", "a"),
        ("$(cd a; pwd -P)", "a"),
        ("$(cd a && ls)", None),
        ("$(cd a b && pwd)", None),
        ("$()", None),
        ("${A:-b}", "b"),
        ("${A-b}", "b"),
        ("${A:-b c}", "b c"),
        ("${A:-}", None),
        ("${A:+b}", None),
        ("$A", None),
        ("$@", None),
        ("$((1 + 2))", None),
    ],
)
def test_the_value_of_a_word(word: str, value: str | None) -> None:
    assert last(f"go {word}") == ([value], ())


@each_row(
    ("before", "word", "value"),
    [
        ("A=1", "$A", "1"),
        ("A=1", "${A}", "1"),
        ("A=1", "${A:-2}", "1"),
        ("A=1", "${A#1}", None),
        ("A=1", "${A/1/2}", None),
        ("A='x y'", '"$A z"', "x y z"),
        ("A=1\nA=2", "$A", None),
        ("A=1; A+=2", "$A", None),
        ("export A=1", "$A", "1"),
        ("declare A=1", "$A", "1"),
        ("for A in 1 2; do true; done", "$A", None),
        ("A=(a b)", "${A[0]}", None),
        ("A=(a b)", "${A[@]}", None),
        ("B=1\nA=$B", "$A", "1"),
        ("A=1 true", "$A", None),
        ("cat <<E\nA=1\nE", "$A", None),
        ("# A=1", "$A", None),
    ],
)
def test_the_value_of_a_variable(before: str, word: str, value: str | None) -> None:
    assert last(f"{before}\ngo {word}") == ([value], ())


@each_row(
    ("before", "folders"),
    [
        ("cd a", ("a",)),
        ("cd a; cd b", ("a", "b")),
        ("cd a && cd -", ()),
        ("cd -", ()),
        ("cd", ()),
        ("pushd a", ("a",)),
        ("pushd", ()),
        ("pushd a\npopd", ()),
        ("cd $A", (None,)),
        ("cd -P a", ("a",)),
        ("(cd a)", ()),
        ("x=$(cd a; pwd)", ()),
        ("cd a | cat", ()),
        ("f() { cd a; }", ()),
        ("if true; then cd a; fi", ("a",)),
        ("echo cd a", ()),
    ],
)
def test_the_folder_of_a_command(before: str, folders: tuple[str | None, ...]) -> None:
    assert last(f"{before}\ngo") == ([], folders)


@each_row(
    ("line", "words"),
    [
        ("bash -c 'go a b'", ["go", "a", "b"]),
        ("bash -lc 'go a'", ["go", "a"]),
        ('/bin/sh -c "go a"', ["go", "a"]),
        ("nohup bash -c 'go a'", ["go", "a"]),
        ('eval "go a"', ["go", "a"]),
        ("bash -c 'go \\\n a'", ["go", "a"]),
        ("bash -c 'go a | tee -a log'", ["go", "a"]),
        ("bash -c 'go `x`'", ["go", None]),
        ("bash -x 'go a'", None),
        ("bash -C 'go a'", None),
        ("python -c 'go a'", None),
        ("bash -c 'go a; b'", None),
        ("bash -c 'go (a'", None),
        ("bash -c 'go a\\ b'", None),
        ("bash -c \"go 'a b'\"", None),
        ('bash -c "go `x`"', None),
        ("bash -c go", None),
    ],
)
def test_a_command_in_quotes_is_run_too(line: str, words: list[str | None] | None) -> None:
    commands = read("run/a.sh", line).commands
    found = [[word.value for word in each.words] for each in commands if each.words[0].value == "go"]
    assert found == ([] if words is None else [words])


@each_row(
    ("word", "variable", "many"),
    [
        ("$RANK", "RANK", True),
        ("${RANK}", "RANK", True),
        ('"$RANK"', "RANK", False),
        ('"${RANK[0]}"', "RANK", False),
        ('"${RANK[@]}"', "RANK", True),
        ('"a$RANK"', None, False),
        ("$((RANK))", None, False),
        ("$((RANK + 1))", None, False),
        ('"$(go)"', None, False),
        ("$(go)", None, True),
        ("go", None, False),
        ('"$@"', "@", True),
        ('"${@}"', "@", True),
        ('"$*"', "*", False),
    ],
)
def test_the_variable_that_a_word_is(word: str, variable: str | None, many: bool) -> None:
    found = read("run/a.sh", f"run {word}").commands[-1].words[-1]
    assert (found.variable, found.many) == (variable, many)
