"""What shows that a model holds something that can't be copied, or that its script trains distributed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...finding import Confidence, Hop
from .constructor_survey import Survey, has_group_name, is_group, puts_group, speaks_of_groups, takes_group
from .rebuildable import Again, arguments_of
from .resolve import Place, dotted
from .scope import Copy, Evidence
from .uses import SHARDED, spelled, walk_scope

_DISTRIBUTED = re.compile(
    r"\b(init_process_group|DistributedDataParallel|DDP|FullyShardedDataParallel|FSDP|init_distributed_mode|init_dist|"
    r"Accelerator|deepspeed|colossalai|torch\.distributed)\b"
)


class Seen(Again):
    """Looks for evidence around one construction and one copy."""

    def between(self, copy: Copy, base: ast.stmt) -> Iterator[ast.AST]:
        """What runs after `base` and before the copy: whole statements, and the tests of blocks the copy stands in."""
        path = {copy.statement, *self.ancestors(copy.statement)}
        end = (base.end_lineno or base.lineno, base.end_col_offset or 0)

        def inside(body: list[ast.stmt]) -> Iterator[ast.AST]:
            for node in body:
                if node is copy.statement:
                    return
                if node in path:
                    for _, value in ast.iter_fields(node):
                        if isinstance(value, ast.expr) and (node.lineno, node.col_offset) > end:
                            yield value
                        elif isinstance(value, list) and any(isinstance(v, ast.stmt) and v in path for v in value):
                            yield from inside(value)
                            return
                    return
                if (node.lineno, node.col_offset) > end:
                    yield node

        yield from inside(copy.scope.body)

    def evidence(
        self, site: Copy, call: ast.expr, statement: ast.stmt, inside: Survey
    ) -> tuple[Evidence | None, Confidence, list[Hop]]:
        """What the model that `call` builds is seen to hold that can't be copied, how sure that is, and the steps.

        A group that is seen being made is proof. A mere name (`self.group = group`) is not: it may be None.
        """
        hops = [Hop(self.path, statement.lineno, f"the model is built: {short(ast.unparse(call))}")]
        given = self._group_argument(site, call, statement)
        later = self._group_given_later(site, statement)
        kept = inside.group and hop(inside.group, "a process group is kept on a layer")
        named = inside.named_group and hop(inside.named_group, "what is called a group is kept on a layer")
        for confidence, found in (
            (Confidence.PROVEN, given and given[0] and given[1]),
            (Confidence.PROVEN, kept),
            (Confidence.PROVEN, later and later[0] and later[1]),
            (Confidence.LIKELY, given and given[1]),
            (Confidence.LIKELY, later and later[1]),
            (Confidence.LIKELY if inside.passed_group else Confidence.POSSIBLE, named),
        ):
            if isinstance(found, Hop):
                return Evidence.GROUP, confidence, [*hops, found]
        if inside.lock is not None:
            return Evidence.LOCK, Confidence.PROVEN, [*hops, hop(inside.lock, "a lock is kept on a layer")]
        return None, Confidence.POSSIBLE, hops

    def _group_given_later(self, site: Copy, statement: ast.stmt) -> tuple[bool, Hop] | None:
        """Whether a process group is put on the model or its layers before `site` (False: by its name), and where."""
        for node in walk_scope(self.between(site, statement)):
            if not isinstance(node, ast.Call):
                if puts_group(node, site.variable) and speaks_of_groups(self.models, self.path):
                    return is_group(node.value, self.models.names(self.path)), Hop(
                        self.path, node.lineno, "a process group is put on a layer"
                    )
                continue
            name = dotted(node.func) or ""
            if name.startswith(f"{site.variable}."):
                if (given := self._group_argument(site, node, site.statement)) is not None:
                    return given
            elif any(spelled(argument, site.variable) for argument in arguments_of(node)):
                if takes_group(node):
                    return True, Hop(self.path, node.lineno, "its layers are given a process group")
                beside = self._group_argument(site, node, site.statement)
                if beside is not None and beside[0]:
                    return beside
                found = self.models.resolve(self.path, name)
                if isinstance(found, Place) and isinstance(found.node, ast.FunctionDef):
                    for inner in ast.walk(found.node):
                        if puts_group(inner) and speaks_of_groups(self.models, found.path):
                            where = Hop(found.path, inner.lineno, "a process group is put on a layer")
                            return is_group(inner.value, self.models.names(found.path)), where
        return None

    def shards(self, node: ast.AST, key: str) -> ast.Call | None:
        """The call by which FSDP or DeepSpeed takes the model under `node`."""
        names = self.models.names(self.path)
        for call in walk_scope([node]):
            if isinstance(call, ast.Call) and names and SHARDED.search(names.qualified(dotted(call.func) or "")):
                given = [inner for value in arguments_of(call) for inner in ast.walk(value)]
                if call is node or any(spelled(inner, key) for inner in given):
                    return call
        return None

    def _group_argument(self, copy: Copy, call: ast.expr, statement: ast.stmt) -> tuple[bool, Hop] | None:
        """Whether an argument of `call` is a process group (False: by its name alone), and where that is seen."""
        if not isinstance(call, ast.Call):
            return None
        named: tuple[bool, Hop] | None = None
        names = self.models.names(self.path)
        for keyword, value in self._arguments(copy, call, statement):
            if isinstance(value, ast.Constant):
                continue
            if is_group(value, names):
                return True, Hop(self.path, value.lineno, f"it is given the process group {short(ast.unparse(value))}")
            name = dotted(value)
            if name is None:
                continue
            for binding in self.bindings(copy.scope, name, statement):
                made = getattr(binding, "value", None)
                if made is not None and is_group(made, names):
                    what = f"the process group that it is given is made: {short(ast.unparse(made))}"
                    return True, Hop(self.path, binding.lineno, what)
            if named is None and has_group_name(keyword, value) and speaks_of_groups(self.models, self.path):
                named = False, Hop(self.path, value.lineno, f"it is given what is called a group, `{name}`")
        return named

    def _arguments(self, copy: Copy, call: ast.Call, statement: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
        """The arguments of `call` by keyword ("" for positional ones), those of a `**kwargs` bound here as well."""
        yield from (("", value) for value in call.args)
        for word in call.keywords:
            if word.arg is not None:
                yield word.arg, word.value
                continue
            for binding in self.bindings(copy.scope, dotted(word.value) or "", statement):
                table = getattr(binding, "value", None)
                if isinstance(table, ast.Call) and dotted(table.func) == "dict":
                    yield from ((inner.arg or "", inner.value) for inner in table.keywords)
                elif isinstance(table, ast.Dict):
                    for key, value in zip(table.keys, table.values, strict=True):
                        yield str(key.value) if isinstance(key, ast.Constant) else "", value

    def distributed(self) -> bool:
        """Whether the script, or a file that imports it, trains distributed."""
        stem = self.path[:-3].rpartition("/")[2]
        imported = re.compile(rf"^[ \t]*(from|import)\b.*\b{re.escape(stem)}\b", re.MULTILINE)
        own = self.models.project.source(self.path)
        assert own is not None
        starters = (
            (s for s in self.models.project.matching(imported, word=stem) if s.path != self.path)
            if stem != "__init__"
            else ()
        )
        return any(_DISTRIBUTED.search(source.text) for source in (own, *starters))


def hop(where: str, what: str) -> Hop:
    path, _, line = where.rpartition(":")
    return Hop(path, int(line), what)


def short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 80 else f"{text[:77]}..."
