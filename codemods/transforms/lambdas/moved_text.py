"""Moving a `def` or `class` to another level: comments, decorators and strings kept, indentation of the new place.

Imports libcst, so that whoever needs nothing moved should not import this module.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

import libcst as cst

from ...finding import Edit, Refused
from ...syntax.placement import first_attached_line, indentation_at, last_line
from ...syntax.scopes import FUNCTIONS, FunctionNode, start_of
from ...tree.source import Source
from .def_text import edited

_SIGNATURE = re.compile(r"#[ \t]*type:[ \t]*\(([^#\n]*)\)[ \t]*->")


def moved(
    source: Source,
    node: FunctionNode | ast.ClassDef,
    name: str,
    leading: Sequence[str],
    edits: Sequence[Edit],
    indent: str,
    preamble: Sequence[str] = (),
) -> str:
    """The definition with its comments and decorators, called `name`, indented by `indent`, without a last newline."""
    first = first_attached_line(source, node)
    start = source.line_starts[first - 1]
    last = last_line(source, node)
    end = source.line_starts[last - 1] + len(source.line_text(last))
    every = [*edits, *_header_edits(source, node, name, leading)]
    text = edited(source, start, end, every)
    old = indentation_at(source, first)
    try:
        block = cst.parse_module(("if 1:\n" if old else "") + text + "\n")
    except (cst.ParserSyntaxError, TypeError):  # a backslash on its last line, `return(lambda: 0)`
        raise Refused("its lines are not laid out as usual: move it by hand") from None
    found = block.body[0].body.body if old and isinstance(block.body[0], cst.If) else block.body
    definition = next(item for item in found if isinstance(item, (cst.FunctionDef, cst.ClassDef)))
    shifted = definition.visit(_Shift(old, indent, "__doc__" not in source.text))
    assert isinstance(shifted, (cst.FunctionDef, cst.ClassDef))
    if preamble:
        shifted = _with_preamble(shifted, preamble)
    # the snippet's first level of indentation is the old place's: inner blocks name their own wherever that differs
    default = block.default_indent
    if indent:
        suite = cst.IndentedBlock([shifted], indent=indent)
        code = cst.Module([cst.If(cst.Name("x"), suite)], default_indent=default).code
        return code.partition("\n")[2].rstrip("\n")
    return cst.Module([shifted], default_indent=default).code.rstrip("\n")


def _header_edits(source: Source, node: FunctionNode | ast.ClassDef, name: str, leading: Sequence[str]) -> list[Edit]:
    start = source.offset(*start_of(node))
    keyword = r"class\s+" if isinstance(node, ast.ClassDef) else r"(?:async\s+)?def\s+"
    found = re.compile(keyword + re.escape(node.name) + r"\b").match(source.text, start)
    if found is None:
        raise Refused("its first line is not laid out as usual: write `def name(...):` on one line")
    edits = []
    if name != node.name:
        edits.append(Edit(source.path, found.end() - len(node.name), found.end(), name))
    if leading:
        if not isinstance(node, FUNCTIONS) or not source.text[found.end() :].lstrip().startswith("("):
            raise Refused("its first line is not laid out as usual: write `def name(...):` on one line")
        paren = source.text.index("(", found.end()) + 1
        has_parameters = bool(
            node.args.posonlyargs or node.args.args or node.args.vararg or node.args.kwonlyargs or node.args.kwarg
        )
        own_line = re.compile(r"[ \t]*(?:#.*)?(\r?\n[ \t]*)").match(source.text, paren)
        if own_line is not None and has_parameters:
            edits.append(Edit(source.path, own_line.end(), own_line.end(), ", ".join(leading) + "," + own_line[1]))
        else:
            edits.append(Edit(source.path, paren, paren, ", ".join(leading) + (", " if has_parameters else "")))
        written = _SIGNATURE.search(source.text, paren, source.offset(*start_of(node.body[0])))
        if written is not None:  # it would lack the types of the new parameters
            edits.append(Edit(source.path, written.start(1), written.end(1), "..."))
    return edits


def _with_preamble(node: cst.FunctionDef | cst.ClassDef, preamble: Sequence[str]) -> cst.FunctionDef | cst.ClassDef:
    if not isinstance(node.body, cst.IndentedBlock):
        raise Refused("its body is on the line of the `def`: put it on a line of its own")
    statements = list(node.body.body)
    at = 1 if node.get_docstring() is not None else 0
    statements[at:at] = [cst.parse_statement(line) for line in preamble]
    return node.with_changes(body=node.body.with_changes(body=statements))


class _Shift(cst.CSTTransformer):
    """Moves what libcst keeps as written: lines after a backslash and the lines of docstrings."""

    def __init__(self, old: str, new: str, docstrings: bool) -> None:
        self.old, self.new, self.docstrings = old, new, docstrings

    def leave_SimpleWhitespace(
        self, original: cst.SimpleWhitespace, updated: cst.SimpleWhitespace
    ) -> cst.SimpleWhitespace:
        return updated.with_changes(value=updated.value.replace("\n" + self.old, "\n" + self.new))

    def leave_IndentedBlock(self, original: cst.IndentedBlock, updated: cst.IndentedBlock) -> cst.IndentedBlock:
        first = updated.body[0] if updated.body else None
        if self.docstrings and isinstance(first, cst.SimpleStatementLine) and isinstance(first.body[0], cst.Expr):
            value = first.body[0].value
            if isinstance(value, cst.SimpleString) and "\n" in value.value:
                shifted = value.with_changes(value=value.value.replace("\n" + self.old, "\n" + self.new))
                return updated.with_deep_changes(first.body[0], value=shifted)
        return updated
