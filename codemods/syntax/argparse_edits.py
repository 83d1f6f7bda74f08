"""Rewrites an `add_argument` call: its names and its default.

Imports libcst, which takes long; whoever only looks needs `argparse_options` alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from ..finding import Edit
from ..tree.source import Source
from .argparse_options import Option


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
    spelled: list[cst.Arg] = []
    for name in names:
        written = known.get(name) or cst.Arg(cst.SimpleString(f"{quote}{name}{quote}"))
        between = written is not end_of_names and isinstance(written.comma, cst.Comma)
        spelled.append(
            written.with_changes(
                comma=written.comma if between else _COMMA, whitespace_after_arg=cst.SimpleWhitespace("")
            )
        )
    rest = [argument for at, argument in enumerate(arguments) if at not in present]
    if default is not None:
        new = cst.parse_expression(default)
        if rest:
            rest = _with_default(rest, new)
        else:
            rest = [_ending_like(end_of_names, cst.Arg(new, keyword=cst.Name("default"), equal=_EQUAL))]
            end_of_names = spelled[-1]
    # what stood after the last of the old names (a line break, a comment) stands after the last of the new ones
    spelled[-1] = _ending_like(end_of_names, spelled[-1])
    code = cst.Module([]).code_for_node(call.with_changes(args=[*spelled, *rest]))
    return Edit(option.path, start, end, code)


_COMMA = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
_EQUAL = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))


def _ending_like(last: cst.Arg, argument: cst.Arg) -> cst.Arg:
    """`argument` with the comma and the blanks that follow `last`."""
    return argument.with_changes(comma=last.comma, whitespace_after_arg=last.whitespace_after_arg)


def _with_default(rest: list[cst.Arg], value: cst.BaseExpression) -> list[cst.Arg]:
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
            rest[at - 1] = rest[at - 1].with_changes(comma=_COMMA, whitespace_after_arg=cst.SimpleWhitespace(""))
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
