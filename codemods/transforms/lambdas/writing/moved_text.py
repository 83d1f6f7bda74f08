"""Moving a `def` or `class` to another level: comments, decorators and strings kept, indentation of the new place."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from ....finding import Edit, Refused
from ....syntax.binding_rules import FUNCTIONS, FunctionNode
from ....syntax.placement import first_attached_line, indentation_at, last_line
from ....syntax.scope_data import start_of
from ....tree.source import Source
from .def_text import edited
from .shifted_lines import shifted_lines

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
    if not preamble and old and (shifted := shifted_lines(text, old, indent)) is not None:
        return shifted
    from .moved_tree import moved_tree  # libcst takes long to import

    return moved_tree(text, old, indent, preamble, docstrings="__doc__" not in source.text)


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
