"""What a model is built from: entries of literal dicts, and arguments by their keywords."""

from __future__ import annotations

import ast

from codemods.project import Project
from codemods.transforms.model_deepcopy import callers, evidence
from codemods.transforms.model_deepcopy.file_view import FileView
from codemods.transforms.model_deepcopy.model_copy import Site
from codemods.transforms.model_deepcopy.models import Models
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row


def expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


@each_row(
    "value, entry",
    [
        ("nets['head']", "Head()"),
        ("nets['body'].eval()", "Body()"),
        ("nets[3]", "Third()"),
        ("nets['other']", "nets"),
        ("nets[name]", "nets"),
        ("nets[1:]", "nets"),
        ("others['head']", "nets"),
        ("nets.head", "nets"),
    ],
)
def test_the_entry_of_a_dict_that_is_taken(value: str, entry: str) -> None:
    nets = "{'head': Head(), 'body': Body(), 3: Third(), **more}"
    found = callers._entry(expression(nets), "nets", expression(value))
    assert ast.unparse(found) == (nets if entry == "nets" else entry)
    made = expression("make()")
    assert callers._entry(made, "nets", expression(value)) is made


@each_row(
    "above, call, found",
    [
        ("", "Net(a, group=b)", [("", "a"), ("group", "b")]),
        ("more = dict(group=b, **rest)", "Net(**more)", [("group", "b"), ("", "rest")]),
        (
            "more = {'group': b, name: c, **rest}",
            "Net(1, **more)",
            [("", "1"), ("group", "b"), ("", "c"), ("", "rest")],
        ),
        ("more = make()", "Net(**more)", []),
        ("", "Net(**more)", []),
    ],
)
def test_arguments_by_their_keywords(above: str, call: str, found: list[tuple[str, str]]) -> None:
    text = f"def main(a, b, c, name, rest):\n    {above or 'pass'}\n    model = {call}\n"
    models = Models(Project(MemoryFiles({"a.py": text.encode()})))
    outline = models.outline("a.py")
    assert outline is not None
    view = FileView(models, outline)
    function = outline.module.body[0]
    assert isinstance(function, ast.FunctionDef)
    statement = function.body[-1]
    assert isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call)
    site = Site.of(view, statement.value)
    given = evidence._arguments(view, site, statement.value, statement)
    assert [(keyword, ast.unparse(value)) for keyword, value in given] == found
