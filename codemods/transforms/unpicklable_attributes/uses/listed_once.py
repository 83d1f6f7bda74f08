"""Folders that an object lists while it is made, once and to the end: a list of the paths is what it sees anyway.

    self.paths = self.root.iterdir()
    ...
    for path in self.paths:  # in the constructor, or in a method that only the constructor calls

What is kept of the iterator after that is nothing but its end, which can't be pickled.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from ....syntax.binding_rules import COMPREHENSIONS, FUNCTIONS
from ....syntax.names import last_name
from ....syntax.repo import Repo
from ....syntax.unpicklable import Made
from ..classes import Method, Shape
from ..data import names

_INIT = "__init__"
_ONCE = (ast.Assign, ast.AnnAssign, ast.Expr, ast.Return, ast.With)
_PERHAPS = (*COMPREHENSIONS, ast.Lambda, ast.IfExp, ast.BoolOp)


def is_listed_once(repo: Repo, shape: Shape, family: Iterable[Shape], name: str, made: Made) -> bool:
    """`made`, which objects of `shape` keep as `name`, lists a folder, and each of them goes through it like that.

    `family`: the classes of which an object may be, and their bases.
    """
    if not names("listings").issuperset(made.of) or not made.of or made.nested or made.choice:
        return False
    family = list(family)
    uses = [
        (user, method, use)
        for user in family
        for method, use in user.selves.get(name, ())
        if isinstance(use.ctx, ast.Load)
    ]
    users = [user for user, _, _ in uses]
    apart = len(uses) == 1 or shape not in users  # each in a class of its own, none above the others
    if not uses or not apart or len({*users}) < len(users) or any(_is_base(user, users) for user in users):
        return False
    others = (use for where in repo.mentioning(name) for use in where.attributes.get(name, ()))
    elsewhere = {*(use for user in family for _, use in user.selves.get(name, ()))}
    if any(use not in elsewhere for use in others):
        return False
    return all(_takes_all(user, use) and _runs_once(repo, user, method, family) for user, method, use in uses)


def _is_base(user: Shape, users: Iterable[Shape]) -> bool:
    """One of `users` names it as a base."""
    return any(user.node.name in map(last_name, other.node.bases) for other in users if other is not user)


def _takes_all(shape: Shape, use: ast.Attribute) -> bool:
    """`for path in self.paths:`, `list(self.paths)`, at the top of its function."""
    outline = shape.outline
    below, above = use, outline.parents[use]
    if isinstance(above, ast.comprehension):
        made = outline.parents[above]
        whole = isinstance(made, (ast.ListComp, ast.SetComp, ast.DictComp)) and made.generators[0] is above
        return whole and above.iter is use and _is_at_top(shape, made)
    if isinstance(above, ast.For) and above.iter is use:
        return not above.orelse and isinstance(outline.parents[above], FUNCTIONS)
    taken = isinstance(above, ast.Call) and last_name(above.func) in names("takes_all") and above.args[:1] == [below]
    return taken and _is_at_top(shape, above)


def _is_at_top(shape: Shape, node: ast.AST) -> bool:
    """It is done once whenever the function runs: in what a loop goes over, too."""
    below = node
    for above in shape.outline.ancestors(node):
        if isinstance(above, FUNCTIONS):
            return True
        looped_over = isinstance(above, ast.For) and below is above.iter
        plain = isinstance(above, _ONCE) or not isinstance(above, (ast.stmt, ast.comprehension, *_PERHAPS))
        if not (plain or looped_over):
            return False
        below = above
    return False


def _runs_once(repo: Repo, shape: Shape, method: Method, family: Iterable[Shape]) -> bool:
    """It is the constructor, or a method that constructors call, each once."""
    if any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in shape.outline.own(method)):
        return False  # what it goes through then is up to who goes through it
    if method.name == _INIT:
        return True
    calls = [(user, caller, use) for user in family for caller, use in user.selves.get(method.name, ())]
    mine = [each for each in calls if each[0] is shape] or calls
    own = {use for _, _, use in calls}
    if len(mine) != 1 or any(caller.name != _INIT for _, caller, _ in calls):
        return False
    user, _, use = mine[0]
    if any(use not in own for where in repo.mentioning(method.name) for use in where.attributes.get(method.name, ())):
        return False
    call = user.outline.parents[use]
    return isinstance(call, ast.Call) and call.func is use and _is_at_top(user, call)
