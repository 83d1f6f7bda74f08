"""What Python says of a function by itself: the name of a thread that runs it, the text of an error, its lines."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ....flow.answers.introspection import THREAD, UNKNOWN, Question
from ....project import Project
from ....syntax.names import last_name
from ....syntax.outline import Outline
from ....syntax.repo import Repo
from ....syntax.scope_data import start_of
from ..candidate import Movable
from ..known import Known
from .identity import where_in_words

_THREAD_NAMES = re.compile(r"\bthreadName\b|\b(?:current_thread|currentThread)\s*\(\s*\)\s*\.\s*(?:name|getName)\b")
_OF_STATE = frozenset({"__getstate__", "__reduce__", "__reduce_ex__", "__getnewargs__", "__getnewargs_ex__"})
_ERRORS = frozenset({"TypeError", "Exception", "BaseException"})
_MAY_SHOW = re.compile(r"except(?<!\wexcept)\b[^\n]*\b(?:TypeError|Exception|BaseException)\b[^\n]*\bas\b")
_WORDS = (  # of what Python says about a call that does not fit
    "missing", "required", "positional", "argument", "arguments", "takes", "given", "unexpected", "keyword", "multiple",
    "values",
)  # fmt: skip
_OF_PLACE = re.compile(r"\bco_(?:firstlineno|lines|positions|lnotab|linetable|qualname)\b")


def shown_by_python(project: Project, known: Known, path: str, node: Movable, is_renamed: bool) -> str | None:
    """A place that shows the name or the place of a function that moves; in words."""
    if isinstance(node, ast.ClassDef):
        return _class_in_text(known, path, node) or _own_state(node)
    own = getattr(node, "name", None)
    return (
        (_thread_name(project, known, path, node) if is_renamed or own is None else None)
        or _error_text(project, known, path, node)
        or _place(project, known, path, node)
    )


def _class_in_text(known: Known, path: str, node: ast.ClassDef) -> str | None:
    """A dataclass shows its qualified name in the text of its objects, unless it has one of its own."""
    marks = [mark.func if isinstance(mark, ast.Call) else mark for mark in node.decorator_list]
    own = any(isinstance(item, ast.FunctionDef) and item.name in ("__repr__", "__str__") for item in node.body)
    if own or not any(last_name(mark) == "dataclass" for mark in marks):
        return None
    for question in known.instance_shown(path, *start_of(node)):
        return (
            f"`{question.what}` ({where_in_words(question, path)}) shows its name, with that of the function around it"
        )
    return None


def _own_state(node: ast.ClassDef) -> str | None:
    """Under fork a worker has the object as it is, and nobody has yet seen what the class makes of its state."""
    for item in node.body:
        if isinstance(item, ast.FunctionDef) and item.name in _OF_STATE:
            what = f"its `{item.name}` (line {item.lineno}) says what a worker gets"
            return f"{what}, where a forked one has the object as it is"
    return None


def _thread_name(project: Project, known: Known, path: str, node: Movable) -> str | None:
    """A thread is called after the function that it runs (Python 3.10), and somebody reads that name."""
    for question in known.passed(path, *start_of(node)):
        if question.what != THREAD:
            continue
        read = _read_name(project, question)
        if read is not None:
            what = f"a thread ({where_in_words(question, path)}) is called after it"
            return f"{what}, and {where_in_words(read, path)} reads the names of threads"
    return None


def _read_name(project: Project, thread: Question) -> Question | None:
    """Where the names of threads are read: of this one, or of whichever runs."""
    outline = Repo(project).outline(thread.path)
    for call in _calls_on(outline, thread.line) if outline is not None else ():
        if outline is None or last_name(call.func) != "Thread":
            continue
        kept = outline.parents[call]
        targets = kept.targets if isinstance(kept, ast.Assign) else [call]
        same = {ast.unparse(target) for target in targets}
        for attribute in [*outline.attributes.get("name", ()), *outline.attributes.get("getName", ())]:
            if isinstance(attribute.ctx, ast.Load) and ast.unparse(attribute.value) in same:
                return Question("name", thread.path, attribute.lineno, -1)
    for source in project.matching(_THREAD_NAMES):
        found = _THREAD_NAMES.search(source.text)
        if found is not None:
            return Question("name", source.path, source.position(found.start())[0], -1)
    return None


def _error_text(
    project: Project, known: Known, path: str, node: ast.Lambda | ast.FunctionDef | ast.AsyncFunctionDef
) -> str | None:
    """It is called with arguments that do not fit, and a handler shows the error, which names the function."""
    for question in known.given(path, *start_of(node)):
        source = project.source(question.path) if question.what != UNKNOWN else None
        if source is None or _MAY_SHOW.search(source.text) is None:
            continue
        outline = Repo(project).outline(question.path)
        for call in _calls_on(outline, question.line) if outline is not None else ():
            if outline is None or len(call.args) != (len(call.args) if question.what == "*" else int(question.what)):
                continue
            for handler in _handlers(outline, call):
                if not _fits(
                    call, node.args, isinstance(handler.type, ast.Name) and handler.type.id == "TypeError"
                ) and _shows(handler, _words_without_names(project, path)):
                    where = where_in_words(Question("", question.path, handler.lineno, -1), path)
                    return f"the error of a call with other arguments, which names the function, is shown ({where})"
    return None


def _fits(call: ast.Call, arguments: ast.arguments, is_expected: bool) -> bool:
    """The call gives what the function needs; `is_expected`: where that can't be seen, the program expects less."""
    if any(isinstance(value, ast.Starred) for value in call.args) or any(word.arg is None for word in call.keywords):
        return not is_expected
    positional = [argument.arg for argument in [*arguments.posonlyargs, *arguments.args]]
    by_name = {word.arg for word in call.keywords}
    required = positional[len(call.args) : len(positional) - len(arguments.defaults)]
    required += [
        argument.arg
        for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        if default is None
    ]
    accepted = {*positional[len(call.args) :], *(argument.arg for argument in arguments.kwonlyargs)}
    return (
        by_name.issuperset(required)
        and (arguments.kwarg is not None or by_name <= accepted)
        and (arguments.vararg is not None or len(call.args) <= len(positional))
    )


def _handlers(outline: Outline, call: ast.Call) -> Iterator[ast.ExceptHandler]:
    """What may catch a TypeError of the call, in the function around it."""
    inner: ast.AST = call
    for above in outline.ancestors(call):
        if isinstance(above, ast.Try) and any(statement is inner for statement in above.body):
            for handler in above.handlers:
                types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
                if any(name is not None and last_name(name) in _ERRORS for name in types):
                    yield handler
        if isinstance(above, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            return
        inner = above


def _words_without_names(project: Project, path: str) -> frozenset[str]:
    """The words of such an error that are in no name of the file: a search for them finds no function's name."""
    text = getattr(project.source(path), "text", "")
    named = (re.search(rf"(?<!['\"]){word}|{word}(?!['\"])", text) for word in _WORDS)
    return frozenset(word for word, found in zip(_WORDS, named, strict=True) if found is None)


def _shows(handler: ast.ExceptHandler, words: frozenset[str]) -> bool:
    """The handler does more with the error than to raise it, another one from it, or to look for one of the words."""
    searched = _searched(handler, words)
    raised = {id(part) for node in ast.walk(handler) if isinstance(node, ast.Raise) for part in (node.exc, node.cause)}
    return any(
        isinstance(node, ast.Name)
        and node.id == handler.name
        and isinstance(node.ctx, ast.Load)
        and id(node) not in raised
        and id(node) not in searched
        for node in ast.walk(handler)
    )


def _searched(handler: ast.ExceptHandler, words: frozenset[str]) -> set[int]:
    """The reads of the error in `"missing" in str(error)`, which no name of a function decides."""
    found: set[int] = set()
    for test in ast.walk(handler):
        if not isinstance(test, ast.Compare) or not all(isinstance(each, (ast.In, ast.NotIn)) for each in test.ops):
            continue
        text, place = test.left, test.comparators[0]
        if isinstance(text, ast.Constant) and text.value in words and isinstance(place, ast.Call):
            found |= {id(argument) for argument in place.args if last_name(place.func) in ("str", "repr")}
    return found


def _place(project: Project, known: Known, path: str, node: Movable) -> str | None:
    """Its `__code__` is read, for the place where the function stands."""
    for question in known.asked(path, *start_of(node)):
        source = project.source(question.path) if question.what == "__code__" else None
        found = _OF_PLACE.search(source.text) if source is not None else None
        if found is not None:
            return (
                f"its `__code__` is read ({where_in_words(question, path)}), and its `{found[0]}` says where it stands"
            )
    outline = Repo(project).outline(path)
    for read in outline.attributes.get("__code__", ()) if outline is not None else ():
        above = outline.parents[read] if outline is not None else None
        if isinstance(above, ast.Attribute) and _OF_PLACE.fullmatch(above.attr) and _is_unknown(outline, read.value):
            return f"`{ast.unparse(above)}` (line {read.lineno}) may be asked of it, and says where it stands"
    return None


def _is_unknown(outline: Outline | None, value: ast.expr) -> bool:
    """The parameter of a lambda, as in `sorted(functions, key=lambda f: ...)`."""
    found = outline.lookup(value, value.id) if outline is not None and isinstance(value, ast.Name) else None
    return found is not None and isinstance(found[0], ast.Lambda)


def _calls_on(outline: Outline, line: int) -> Iterator[ast.Call]:
    return (node for node in outline.by_line.get(line, ()) if isinstance(node, ast.Call))
