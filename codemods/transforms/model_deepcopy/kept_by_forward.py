"""What a model keeps of a run: `self.last = self.weight * x` is part of a gradient's history, and can't be copied."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile

from ...nodes import walk
from ...syntax.outline import Outline
from .models import dotted, is_torch_layer

_PARAMETER = re.compile(r"torch\.nn\.(?:parameter\.)?Parameter$")
_GIVE_TENSORS = re.compile(
    r"torch\.nn\.functional\.(?!one_hot$)\w+$|torch\.(?:relu|tanh|sigmoid|softmax|log_softmax|exp|log|abs|sqrt|matmul|mm|bmm|"
    r"addmm|einsum|mean|sum|add|mul|sub|div|clamp|flatten|cat|stack)$"
)
_WITHOUT_PARAMETERS = re.compile(
    r"\.(?:\w*ReLU6?|[CGS]?ELU|SiLU|Mish|Tanh|Sigmoid|Hard\w+|Soft\w+|LogSoftmax|Identity|\w*Dropout\w*|Flatten|Unflatten|"
    r"\w+Pool\dd|\w*Pad\dd|Upsample\w*|Pixel\w+|Fold|Unfold|\w+Loss)$"
)
_METHODS = frozenset(
    ("relu", "tanh", "sigmoid", "softmax", "exp", "log", "abs", "sqrt", "pow", "matmul", "sum", "mean", "clone", "view",
     "reshape", "flatten", "permute", "transpose", "squeeze", "unsqueeze", "contiguous", "float")
)  # fmt: skip
_FREEZE = frozenset({"requires_grad", "requires_grad_"})
_QUIET = re.compile(r"\b(?:no_grad|inference_mode|set_grad_enabled)\b")


def kept_by_forward(
    names: Outline, methods: Sequence[ast.FunctionDef], run: Sequence[ast.FunctionDef]
) -> Iterator[tuple[ast.Attribute, bool]]:
    """The attributes that the methods `run` set; True for those that get a tensor with a gradient history."""
    layers, parameters = ({}, set()) if freezes(methods) else _made(names, methods)
    changed = _set_again(run)
    for method in run:
        computed: dict[str, bool] = {}  # local names: does each of their values have a history?
        assigned = [node for node in walk(method) if isinstance(node, ast.Assign)]
        for node in sorted(assigned, key=lambda node: (node.lineno, node.col_offset)):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    has = _has_history(names, node.value, layers, parameters, computed)
                    computed[target.id] = has and computed.get(target.id, True)
        for stored in walk(method):
            if isinstance(stored, ast.Attribute) and isinstance(stored.ctx, (ast.Store, ast.Del)):
                value = next((node.value for node in assigned if stored in node.targets), None)
                known = dotted(stored.value) == "self" and value is not None and not _is_quiet(names, stored)
                known = known and dotted(stored) not in changed and _always_runs(names, method, stored)
                yield stored, known and value is not None and _has_history(names, value, layers, parameters, computed)


def freezes(nodes: Iterable[ast.AST]) -> bool:
    """They say which parameters learn: what is computed from the others has no history."""
    return any(isinstance(node, ast.Attribute) and node.attr in _FREEZE for each in nodes for node in walk(each))


def _set_again(run: Sequence[ast.FunctionDef]) -> set[str]:
    """The attributes that get several values in one run, `self.last = self.last.detach()`: the last one counts."""
    stored = Counter(
        dotted(node)
        for method in run
        for node in walk(method)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, (ast.Store, ast.Del))
    )
    return {name for name, times in stored.items() if name is not None and times > 1}


def _always_runs(names: Outline, method: ast.FunctionDef, stored: ast.Attribute) -> bool:
    """Each run of the method gets there: it stands under no `if self.training:`, and below no `return`."""
    blocks = takewhile(lambda above: above is not method, names.ancestors(stored))
    leaves = (node for node in walk(method) if isinstance(node, ast.Return) and node.lineno < stored.lineno)
    return all(isinstance(block, (ast.Assign, ast.With)) for block in blocks) and next(leaves, None) is None


def _made(names: Outline, methods: Sequence[ast.FunctionDef]) -> tuple[dict[str, bool], set[str]]:
    """The layers of torch that the constructor sets, True for those that learn, and the parameters: `self.name`."""
    layers, parameters = dict[str, bool](), set[str]()
    for node in (inner for method in methods if method.name == "__init__" for inner in walk(method)):
        if not (isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)):
            continue
        made = names.qualified(dotted(node.value.func) or "")
        known = {name for target in node.targets if (name := dotted(target)) and name.startswith("self.")}
        if _PARAMETER.match(made) and all(word.arg == "data" for word in node.value.keywords):
            parameters |= known if len(node.value.args) < 2 else set()
        elif is_torch_layer(made):
            layers.update(dict.fromkeys(known, not _WITHOUT_PARAMETERS.search(made)))
    return layers, parameters


def _has_history(
    names: Outline, value: ast.expr, layers: dict[str, bool], parameters: set[str], computed: dict[str, bool]
) -> bool:
    """It is what a layer gives, or is computed from that or from a parameter."""

    def has(part: ast.expr) -> bool:
        return _has_history(names, part, layers, parameters, computed)

    def learns(part: ast.expr) -> bool:
        return dotted(part) in parameters or has(part)

    if isinstance(value, ast.Name):
        return computed.get(value.id, False)
    if isinstance(value, ast.BinOp):
        return learns(value.left) or learns(value.right)
    if isinstance(value, ast.UnaryOp):
        return isinstance(value.op, ast.USub) and learns(value.operand)
    if not isinstance(value, ast.Call):
        return False
    if layers.get(dotted(value.func) or "", False):
        return True
    if isinstance(value.func, ast.Attribute) and value.func.attr in _METHODS and learns(value.func.value):
        return True
    given = [part for each in value.args for part in getattr(each, "elts", [each])]
    gives = dotted(value.func) in layers or _GIVE_TENSORS.match(names.qualified(dotted(value.func) or "")) is not None
    return gives and any(map(learns, given))


def _is_quiet(names: Outline, node: ast.AST) -> bool:
    """It stands where torch notes no history: `with torch.no_grad():`."""
    for above in names.ancestors(node):
        marks = above.decorator_list if isinstance(above, ast.FunctionDef) else []
        marks = marks + [item.context_expr for item in above.items] if isinstance(above, ast.With) else marks
        if any(_QUIET.search(ast.unparse(mark)) for mark in marks):
            return True
    return False
