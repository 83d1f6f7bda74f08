"""What is a process group, by what makes it or by its name."""

from __future__ import annotations

import ast

from codemods.syntax.outline import Outline
from codemods.transforms.model_deepcopy.process_groups import (
    has_group_name,
    is_called_group,
    is_group,
    puts_group,
    takes_group,
)
from harness.each_row import each_row


def expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


@each_row(
    "text, found",
    [
        ("dist.new_group()", True),
        ("dist.new_group([0, 1]) if many else None", True),
        ("None if many else dist.new_group([0, 1])", True),
        ("given or dist.new_group()", True),
        ("td.group.WORLD", True),
        ("mesh.get_group()", True),
        ("dist.new_group", False),  # not called
        ("td.group.WORLD()", False),
        ("make()", False),
        ("makers[0]()", False),
        ("None", False),
        ("given if many else None", False),
        ("given or other", False),
    ],
)
def test_what_makes_a_group(text: str, found: bool) -> None:
    outline = Outline("a.py", ast.parse("import torch.distributed as td\n"))
    assert is_group(expression(text), outline) == found


def test_no_value_is_no_group() -> None:
    assert not is_group(None, None)


@each_row(
    "attribute, value, found",
    [
        ("group", "group", True),
        ("process_group", "pg", True),
        ("tp_group", "given.tp_group or tp_group", True),
        ("pgs", "processgroup if many else None", True),
        ("rate", "group", False),  # either name alone says little
        ("group", "rate", False),
        ("num_group", "group", False),  # numbers of them
        ("n_groups", "group", False),
        ("groups", "groups", False),  # of a convolution
        ("group", "group_size", False),
        ("group_width", "group", False),
        ("group", "make(group)", False),
        ("group", "3", False),
    ],
)
def test_what_is_called_a_group(attribute: str, value: str, found: bool) -> None:
    assert is_called_group([attribute], expression(value)) == found
    assert is_called_group(["other", attribute], expression(value)) == found


@each_row(
    "keyword, value, found",
    [
        ("process_group", "given", True),
        ("tp_group", "given", True),
        ("group", "given", True),
        ("other", "args.mp_group", True),
        ("other", "self.pg", True),
        ("other", "pg", True),
        ("group", "3", False),
        ("process_group", "None", False),
        ("groups", "given", False),
        ("age_group", "given", False),
        ("other", "given", False),
        ("other", "make()", False),
    ],
)
def test_what_is_passed_as_a_group(keyword: str, value: str, found: bool) -> None:
    assert has_group_name(keyword, expression(value)) == found


@each_row(
    "text, found",
    [
        ("nn.SyncBatchNorm(4, process_group=group)", True),
        ("nn.SyncBatchNorm(4, process_group=None)", False),
        ("nn.SyncBatchNorm(4)", False),
        ("nn.Linear(4, process_group=group)", False),
    ],
)
def test_layers_that_keep_a_group(text: str, found: bool) -> None:
    call = expression(text)
    assert isinstance(call, ast.Call)
    assert takes_group(call) == found


@each_row(
    "text, variable, found",
    [
        ("layer.group = group", "", True),
        ("layer.anything = dist.new_group()", "", True),
        ("a.b.group = a.group = group", "", True),
        ("self.model.group = group", "self.model", True),
        ("self.group = group", "", False),
        ("self.other.group = group", "self.model", False),
        ("args.group = group", "", False),  # settings are no layer
        ("group = dist.new_group()", "", False),
        ("layer.group: object = group", "", False),
        ("layer.rate = rate", "", False),
    ],
)
def test_who_puts_a_group_on_a_layer(text: str, variable: str, found: bool) -> None:
    assert puts_group(ast.parse(text).body[0], variable) == found
