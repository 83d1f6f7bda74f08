"""Options of argparse parsers: finding one by name, and rewriting its `add_argument` call."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import libcst as cst

from ..finding import Edit
from ..tree.source import Source


@dataclass(frozen=True, slots=True)
class Option:
    """One `add_argument` call: `names` as spelled, `keywords` as syntax trees; `odd` says why it can't be rewritten."""

    path: str
    call: ast.Call
    names: tuple[str, ...]
    keywords: dict[str, ast.expr]
    odd: str | None = None

    @property
    def line(self) -> int:
        """Line of the call, 1-based."""
        return self.call.lineno

    @property
    def dest(self) -> str:
        """The attribute that the value ends up in."""
        given = self.keywords.get("dest")
        if isinstance(given, ast.Constant) and isinstance(given.value, str):
            return given.value
        long = [name for name in self.names if name.startswith("--")]
        return (long or list(self.names))[0].lstrip("-").replace("-", "_")

    @property
    def default(self) -> ast.expr | None:
        """The default's expression; None when none is given or it is `None`."""
        given = self.keywords.get("default")
        return None if isinstance(given, ast.Constant) and given.value is None else given

    @property
    def type(self) -> str:
        """The type as written, "str" when none is given, "?" when it is more than a name."""
        given = self.keywords.get("type")
        return "str" if given is None else given.id if isinstance(given, ast.Name) else "?"

    @property
    def required(self) -> bool:
        """True when `required=` is anything but False."""
        given = self.keywords.get("required")
        return given is not None and not (isinstance(given, ast.Constant) and given.value is False)


@lru_cache(maxsize=512)
def nodes(tree: ast.Module) -> tuple[ast.AST, ...]:
    """Every node of a module, walked once: many questions are asked of the same few modules."""
    return tuple(ast.walk(tree))


def options(path: str, module: ast.Module, *spellings: str) -> Iterator[Option]:
    """The `add_argument` calls of `module` that define one of `spellings` ("--local_rank"), in the order they stand."""
    for node in nodes(module):
        if not (
            isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "add_argument"
        ):
            continue
        names = tuple(arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str))
        if not any(name in spellings for name in names):
            continue
        keywords = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg is not None}
        odd = None
        if len(names) != len(node.args) or len(keywords) != len(node.keywords):
            odd = "its names or settings are put together at run time"
        elif extra := [key for key in ("choices", "nargs", "action", "const") if key in keywords]:
            odd = f"it has `{extra[0]}=`"
        yield Option(path, node, names, keywords, odd)


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
