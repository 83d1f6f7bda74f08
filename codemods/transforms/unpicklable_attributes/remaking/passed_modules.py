"""Modules that the constructor of a class is passed: `Rows(path, config)` after `import config`.

Where every call passes one, and nothing sets its attributes, a copy imports the one of that name, which is the same.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ....finding import Refused
from ....syntax.binding_rules import default_values, given_to, positional
from ....syntax.callees import FUNCTIONS
from ....syntax.outline import Outline
from ....syntax.unpicklable_table import MODULE
from ..classes import Store
from ..own_classes import check_not_set_up
from ..uses.attribute_uses import AttributeUses
from .recreate import Recreation
from .state_methods import Form, Treatment

_INSTEAD = "keep what is read of it, or import it where it is used"


def passed_module(uses: AttributeUses, stores: list[Store], source: str) -> Treatment:
    """The copy imports the module by its name. `source`: a call that passes one. Raises Refused."""
    shape, store = uses.shape, uses.hazards[0].store
    refused = Refused(f"it is passed in ({source}), where other things may be passed as well: {_INSTEAD}")
    parameter = store.value.id if isinstance(store.value, ast.Name) else ""
    init = shape.methods.get("__init__")
    if len(stores) != 1 or not store.always or store.method is not init or uses.skips_init() or not parameter:
        raise refused
    if any(hazard.made.nested for hazard in uses.hazards) or len(uses.hierarchy) != 1:
        raise refused
    default = default_values(init).get(parameter)
    passed = [
        (shape.outline, default) if value is None and called else (where, value)
        for where, value, called in _passed(uses, [*positional(init)][1:], parameter)
    ]
    if not passed or not all(value is not None and _is_module(uses, where, value) for where, value in passed):
        raise refused
    words = {parameter, uses.attribute, *(ast.unparse(value) for _, value in passed if value is not None)}
    for word in sorted(each.rpartition(".")[2] for each in words):
        _check_not_set(uses, word)
    for where, value in passed:
        _check_sets_nothing_itself(uses.family.repo.resolver.module(where, value) if value is not None else None)
    check_not_set_up(shape.outline, shape.node, uses.attribute)
    known = [name for name, origin in shape.outline.imported.items() if origin == "importlib"]
    known = [name for name in known if shape.outline.bindings(shape.outline.module, name)]
    importlib = known[0] if known else "importlib"
    lines = (f"self.{uses.attribute} = {importlib}.import_module({{}})",)
    again = Recreation(lines, (), "", () if known else ("import importlib",))
    line, key = store.target.lineno, shape.key(uses.attribute)
    return Treatment(uses.attribute, key, Form.NAMED, line, True, again, never_none=True, named_by="__name__")


def _passed(uses: AttributeUses, names: list[str], parameter: str) -> Iterator[tuple[Outline, ast.expr | None, bool]]:
    """What each use of the class passes for the parameter, None for nothing; and whether that can be told."""
    node, resolver = uses.shape.node, uses.family.repo.resolver
    for outline in uses.family.repo.mentioning(node.name):
        for use in outline.named.get(node.name, ()):
            if not any(found.node is node for found in resolver.classes(outline, use)):
                continue
            call = outline.parents[use]
            if not isinstance(call, ast.Call) or call.func is not use:
                yield outline, None, False
                continue
            unclear = any(isinstance(item, ast.Starred) for item in call.args) or None in (k.arg for k in call.keywords)
            yield outline, None if unclear else given_to(names, call).get(parameter), not unclear


def _is_module(uses: AttributeUses, outline: Outline, value: ast.expr) -> bool:
    found = uses.recogniser.made(outline, value)
    return bool(found) and all(made.kind is MODULE and not (made.choice or made.nested) for made in found)


def _check_not_set(uses: AttributeUses, word: str) -> None:
    """Raises Refused where something sets an attribute of what is called so."""
    sets = re.compile(
        rf"\b{re.escape(word)}\.\w+[ \t]*[-+*/|&]?=(?!=)|\b(?:setattr|vars)\([ \t]*(?:\w+\.)?{re.escape(word)}\b"
    )
    for source in uses.family.repo.project.matching(sets, word=word):
        found = sets.search(source.text)
        if found is not None:
            line = source.position(found.start())[0]
            raise Refused(
                f"{source.path}:{line} may set something in the module that is passed, which a worker that imports it "
                "would not have: keep that value on the object, and hand it to what reads it as an argument"
            )


def _check_sets_nothing_itself(module: Outline | None) -> None:
    """Raises Refused where a function of the module sets a global of it, which others may read: `init()`."""
    if module is None:
        return
    for name, places in module.made_global.items():
        function = next((each for each in module.ancestors(places[0]) if isinstance(each, FUNCTIONS)), None)
        if function is not None:
            raise Refused(
                f"`{function.name}` ({module.path}:{places[0].lineno}) sets `{name}` of the module that is passed, "
                f"which a worker that imports it lacks: import it where it is used, and call `{function.name}` there"
            )
