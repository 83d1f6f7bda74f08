"""Models that are made with random weights, and get the weights of another at once: `model.load_state_dict(...)`."""

from __future__ import annotations

import ast

from ....nodes import walk
from ....syntax.callees import FUNCTIONS
from ....syntax.names import last_name
from ....syntax.outline import Outline
from .changed_settings import Search
from .library_texts import imported_name
from .process_state_table import read_by
from .worker_functions import Worker

SEED = "torch_seed"  # the state of the table
_LAYERS, _DRAWS = "torch.nn.", "torch.nn.functional."
_PLAIN = (ast.List, ast.Tuple, ast.Dict, ast.ListComp, ast.DictComp, ast.GeneratorExp)
_ADDS = frozenset({"append", "extend", "insert", "add"})
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
    if _draws_when_run(search) or any(_is_no_weight(worker.outline, owner, node) for node in worker.nodes):
        return False
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
    return _is_layer_name(imported_name(outline, node.func)) if isinstance(node, ast.Call) else False


def _is_layer_name(name: str) -> bool:
    return name.startswith(_LAYERS) and name.rpartition(".")[2][:1].isupper()


def _draws_when_run(search: Search) -> bool:
    """A layer of a file with code of workers draws at random in `forward`, or in what that may call."""
    for outline in {id(worker.outline): worker.outline for worker in search.workers.values()}.values():
        for made in (each for each in outline.statements if isinstance(each, ast.ClassDef)):
            methods = [part for part in made.body if isinstance(part, FUNCTIONS) and part.name != "__init__"]
            if any(method.name == "forward" for method in methods):
                calls = (node for method in methods for node in walk(method) if isinstance(node, ast.Call))
                names = (imported_name(outline, call.func) for call in calls)
                if any(state.name == SEED for name in names if not _is_layer_name(name) for state in read_by(name)):
                    return True
    return False


def _is_no_weight(outline: Outline, owner: ast.ClassDef, node: ast.AST) -> bool:
    """A layer that the constructor keeps in a plain list or dict: its weights are not among those of the model."""
    if not _is_layer(outline, node):
        return False
    plain, inner = False, node
    while not isinstance(above := outline.parents[inner], ast.stmt):
        if isinstance(above, ast.Call) and inner is not above.func:
            if isinstance(above.func, ast.Attribute) and above.func.attr in _ADDS:
                return _is_plain(outline, owner, above.func.value)
            return False  # `nn.Sequential(...)`
        plain, inner = plain or isinstance(above, _PLAIN), above
    targets = above.targets if isinstance(above, ast.Assign) else [getattr(above, "target", None)]
    for target in targets:
        if isinstance(target, ast.Subscript) and _is_plain(outline, owner, target.value):
            return True
        if plain and (isinstance(target, ast.Attribute) or _is_plain(outline, owner, target)):
            return True
    return False


def _is_plain(outline: Outline, owner: ast.ClassDef, holder: ast.expr | None) -> bool:
    """`self.layers`, or a variable that becomes such an attribute, is a list or dict that is written out."""
    stores = [each for each in outline.statements if isinstance(each, ast.Assign) and outline.owner(each) is owner]
    if isinstance(holder, ast.Attribute):
        values = (
            each.value
            for each in stores
            for target in each.targets
            if isinstance(target, ast.Attribute) and target.attr == holder.attr
        )
        return any(isinstance(value, _PLAIN) or _is_made_plain(value) for value in values)
    if not isinstance(holder, ast.Name):
        return False
    kept = (each for each in stores if isinstance(each.value, ast.Name) and each.value.id == holder.id)
    return any(isinstance(target, ast.Attribute) for each in kept for target in each.targets)


def _is_made_plain(value: ast.expr) -> bool:
    return (
        isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in ("list", "dict", "tuple")
    )


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
