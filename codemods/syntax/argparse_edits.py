"""Rewrites an `add_argument` call: its names and its default.

Imports libcst, which takes long; whoever only looks needs `argparse_options` alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from ..finding import Edit
from ..tree.source import Source
from .argparse_options import Option
from .line_width import line_width


def rewritten(source: Source, option: Option, names: Sequence[str], default: str | None) -> Edit:
    """The edit that gives `option` these `names` and, when `default` is not None, this default and no `required`.

    What stands between is kept, comments and layout too; new strings take the quotes of the first name.
    """
    start = source.offset(option.call.lineno, option.call.col_offset)
    assert option.call.end_lineno is not None and option.call.end_col_offset is not None
    end = source.offset(option.call.end_lineno, option.call.end_col_offset)
    call = cst.ensure_type(cst.parse_expression(source.text[start:end].replace("\r\n", "\n")), cst.Call)
    arguments = list(call.args)
    present = [at for at, argument in enumerate(arguments) if argument.keyword is None and not argument.star]
    first = cst.ensure_type(arguments[present[0]].value, cst.SimpleString)
    quote = first.quote
    known = {name: arguments[at] for at, name in zip(present, option.names, strict=True)}
    end_of_names = arguments[present[-1]]
    own_lines = end_of_names is not arguments[-1] and _on_own_lines([arguments[at] for at in present])
    comma = end_of_names.comma if own_lines else _COMMA
    spelled: list[cst.Arg] = []
    for name in names:
        written = known.get(name) or cst.Arg(cst.SimpleString(f"{quote}{name}{quote}"))
        between = written is not end_of_names and isinstance(written.comma, cst.Comma)
        spelled.append(
            written.with_changes(
                comma=written.comma if between else comma, whitespace_after_arg=cst.SimpleWhitespace("")
            )
        )
    rest = [argument for at, argument in enumerate(arguments) if at not in present]
    if default is not None:
        new = cst.parse_expression(default)
        if rest:
            rest = _with_default(rest, new, comma)
        else:
            rest = [_ending_like(end_of_names, cst.Arg(new, keyword=cst.Name("default"), equal=_EQUAL))]
            end_of_names = spelled[-1]
    # what stood after the last of the old names (a line break, a comment) stands after the last of the new ones
    spelled[-1] = _ending_like(end_of_names, spelled[-1])
    call = call.with_changes(args=[*spelled, *rest])
    return Edit(option.path, start, end, _within(source, start, call))


def _within(source: Source, start: int, call: cst.Call) -> str:
    """The text of `call`, with each argument on its own line where it would be too wide for the file."""
    code = cst.Module([]).code_for_node(call)
    line = source.text[source.text.rfind("\n", 0, start) + 1 : start]
    if "#" in code or line.strip() or max(map(len, f"{line}{code}".splitlines())) <= line_width(source.text):
        return code
    inner = line + ("\t" if "\t" in line else "    ")
    parts = [cst.Module([]).code_for_node(argument.with_changes(comma=_NO_COMMA)).strip() for argument in call.args]
    head = cst.Module([]).code_for_node(call.func)
    return "".join([f"{head}(\n", *(f"{inner}{part},\n" for part in parts), f"{line})"])


def _on_own_lines(names: list[cst.Arg]) -> bool:
    """Does each of the names stand on a line of its own, and no comment beside the last?"""
    after = [cst.Module([]).code_for_node(name.comma) if isinstance(name.comma, cst.Comma) else "" for name in names]
    return all("\n" in text for text in after) and "#" not in after[-1]


_NO_COMMA = cst.MaybeSentinel.DEFAULT
_COMMA = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
_EQUAL = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))


def _ending_like(last: cst.Arg, argument: cst.Arg) -> cst.Arg:
    """`argument` with the comma and the blanks that follow `last`."""
    return argument.with_changes(comma=last.comma, whitespace_after_arg=last.whitespace_after_arg)


def _with_default(
    rest: list[cst.Arg], value: cst.BaseExpression, divider: cst.Comma | cst.MaybeSentinel
) -> list[cst.Arg]:
    names = [argument.keyword.value if argument.keyword else "" for argument in rest]
    new = cst.Arg(value, keyword=cst.Name("default"), equal=_EQUAL)
    if "default" in names:
        at = names.index("default")
        rest[at] = rest[at].with_changes(value=value)
    elif "required" in names:  # stands where `required=` stood
        at = names.index("required")
        rest[at] = _ending_like(rest[at], new)
        return rest
    else:
        at = names.index("type") + 1 if "type" in names else 0
        if at == len(rest):  # becomes the last argument: takes over the trailing comma, if any
            new = _ending_like(rest[at - 1], new)
            rest[at - 1] = rest[at - 1].with_changes(comma=divider, whitespace_after_arg=cst.SimpleWhitespace(""))
        else:  # divided from the next as it is from the one before, unless a comment stands there
            comma = rest[at - 1].comma if at else _COMMA
            plain = isinstance(comma, cst.Comma) and "#" not in cst.Module([]).code_for_node(comma)
            new = new.with_changes(comma=comma if plain else _COMMA)
        rest.insert(at, new)
        return rest
    if "required" in names:
        gone = names.index("required")
        if gone == len(rest) - 1 and gone > 0:  # the one before becomes the last
            rest[gone - 1] = _ending_like(rest[gone], rest[gone - 1])
        del rest[gone]
    return rest
