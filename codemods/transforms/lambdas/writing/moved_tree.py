"""Moving a `def` or `class` whose lines can't simply be shifted, by LibCST, which takes long to import."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from ....finding import Refused


def moved_tree(text: str, old: str, indent: str, preamble: Sequence[str], docstrings: bool) -> str:
    """The definition `text`, indented by `old`, indented by `indent`, with `preamble` at the start of its body.

    `docstrings`: those move too. Raises Refused.
    """
    try:
        block = cst.parse_module(("if 1:\n" if old else "") + text + "\n")
    except (cst.ParserSyntaxError, TypeError):  # a backslash on its last line, `return(lambda: 0)`
        raise Refused("its lines are not laid out as usual: move it by hand") from None
    found = block.body[0].body.body if old and isinstance(block.body[0], cst.If) else block.body
    definition = next(item for item in found if isinstance(item, (cst.FunctionDef, cst.ClassDef)))
    shifted = definition.visit(_Shift(old, indent, docstrings))
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
