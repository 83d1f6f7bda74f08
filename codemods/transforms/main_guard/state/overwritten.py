"""Models that are made with random weights, and get the weights of another at once: `model.load_state_dict(...)`."""

from __future__ import annotations

import ast

from ....nodes import walk
from ....syntax.names import last_name
from ....syntax.outline import Outline
from .changed_settings import Search
from .library_texts import imported_name
from .process_state_table import read_by
from .worker_functions import Worker

SEED = "torch_seed"  # the state of the table
_LAYERS, _DRAWS = "torch.nn.", "torch.nn.functional."
_DEEP = 4  # classes whose objects hold each other


def weights_are_loaded(search: Search, worker: Worker, depth: int = _DEEP, drops: bool = False) -> bool:
    """All that the function draws at random is weights, and who makes the model in a worker loads others next.

    `drops`: the model has layers that drop values at random, so it has to be told that it is not trained.
    """
    called = [imported_name(worker.outline, node.func) for node in worker.nodes if isinstance(node, ast.Call)]
    drawn = [name for name in called if any(state.name == SEED for state in read_by(name))]
    if depth == 0 or not all(name.startswith(_LAYERS) and not name.startswith(_DRAWS) for name in drawn):
        return False
    drops = drops or any(name.startswith(_LAYERS) and "Dropout" in name for name in called)
    owner = worker.outline.owner(worker.function.body[0])
    if owner is None or worker.function.name != "__init__":
        layers = [node for node in worker.nodes if _is_layer(worker.outline, node)]
        return all(_is_loaded(worker.outline, node, drops) for node in layers)
    makers = [
        (other, node)
        for other in search.workers.values()
        for node in other.nodes
        if isinstance(node, ast.Call) and last_name(node.func) == owner.name
    ]
    return bool(makers) and all(
        _is_loaded(other.outline, node, drops)
        or (other.function.name == "__init__" and weights_are_loaded(search, other, depth - 1, drops))
        for other, node in makers
    )


def _is_layer(outline: Outline, node: ast.AST) -> bool:
    name = imported_name(outline, node.func) if isinstance(node, ast.Call) else ""
    return name.startswith(_LAYERS) and name.rpartition(".")[2][:1].isupper()


def _is_loaded(outline: Outline, made: ast.AST, drops: bool) -> bool:
    """`model = Net().to(device)`, and below in its block `model.load_state_dict(...)`; `drops`: and `eval()`."""
    statement = outline.statement(made)
    value = statement.value if isinstance(statement, ast.Assign) else None
    chained = set[str]()
    while isinstance(value, ast.Call) and value is not made and isinstance(value.func, ast.Attribute):
        chained.add(value.func.attr)
        value = value.func.value
    if value is not made or not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
        return False
    name = statement.targets[0].id
    blocks = (block for _, block in ast.iter_fields(outline.parents[statement]) if isinstance(block, list))
    block = next((block for block in blocks if statement in block), [])
    called = {
        node.func.attr
        for after in block[block.index(statement) + 1 :] if isinstance(after, (ast.Expr, ast.Assign))
        for node in walk(after)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not _leaves_some(node)
        if isinstance(node.func.value, ast.Name) and node.func.value.id == name
    }  # fmt: skip
    return "load_state_dict" in called and (not drops or "eval" in called | chained)


def _leaves_some(call: ast.Call) -> bool:
    """`load_state_dict(weights, strict=False)`: what is not among the weights stays as it was drawn."""
    strict = [*call.args[1:2], *(keyword.value for keyword in call.keywords if keyword.arg == "strict")]
    return any(not (isinstance(value, ast.Constant) and value.value is True) for value in strict)
