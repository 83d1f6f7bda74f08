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


def weights_are_loaded(search: Search, worker: Worker, depth: int = _DEEP) -> bool:
    """All that the function draws at random is weights, and who makes the model in a worker loads others next."""
    called = [imported_name(worker.outline, node.func) for node in worker.nodes if isinstance(node, ast.Call)]
    drawn = [name for name in called if any(state.name == SEED for state in read_by(name))]
    if depth == 0 or not all(name.startswith(_LAYERS) and not name.startswith(_DRAWS) for name in drawn):
        return False
    owner = worker.outline.owner(worker.function.body[0])
    if owner is None or worker.function.name != "__init__":
        layers = [node for node in worker.nodes if _is_layer(worker.outline, node)]
        return all(_is_loaded(worker.outline, node) for node in layers)
    makers = [
        (other, node)
        for other in search.workers.values()
        for node in other.nodes
        if isinstance(node, ast.Call) and last_name(node.func) == owner.name
    ]
    return bool(makers) and all(
        _is_loaded(other.outline, node)
        or (other.function.name == "__init__" and weights_are_loaded(search, other, depth - 1))
        for other, node in makers
    )


def _is_layer(outline: Outline, node: ast.AST) -> bool:
    name = imported_name(outline, node.func) if isinstance(node, ast.Call) else ""
    return name.startswith(_LAYERS) and name.rpartition(".")[2][:1].isupper()


def _is_loaded(outline: Outline, made: ast.AST) -> bool:
    """`model = Net().to(device)`, and below it in the same block `model.load_state_dict(...)`."""
    statement = outline.statement(made)
    value = statement.value if isinstance(statement, ast.Assign) else None
    while isinstance(value, ast.Call) and value is not made and isinstance(value.func, ast.Attribute):
        value = value.func.value
    if value is not made or not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
        return False
    name = statement.targets[0].id
    blocks = (block for _, block in ast.iter_fields(outline.parents[statement]) if isinstance(block, list))
    block = next((block for block in blocks if statement in block), [])
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "load_state_dict"
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == name
        for after in block[block.index(statement) + 1 :] if isinstance(after, (ast.Expr, ast.Assign))
        for node in walk(after)
    )  # fmt: skip
