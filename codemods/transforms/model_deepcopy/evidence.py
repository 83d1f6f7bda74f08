"""What shows that a model holds something that can't be copied, or that its script trains distributed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...finding import Hop
from .constructor_survey import GROUP_CALL, Survey, puts_group, speaks_of_groups
from .rebuildable import Again, arguments_of
from .resolve import Place, dotted
from .scope import Copy, Evidence
from .uses import SHARDED, spelled, walk_scope

_PARALLEL_LAYERS = re.compile(
    r"^[ \t]*(from|import)[ \t]+(colossalai|megatron|fairscale\.nn\.model_parallel)\b|"
    r"(SyncBatchNorm|convert_sync_batchnorm)\w*\([^)]*process_group=[^N)]",
    re.MULTILINE,
)
_DISTRIBUTED = re.compile(
    r"\b(init_process_group|DistributedDataParallel|DDP|FullyShardedDataParallel|FSDP|init_distributed_mode|init_dist|"
    r"Accelerator|deepspeed|colossalai|torch\.distributed)\b"
)
_GROUP_ARGUMENT = re.compile(
    r"process_group|((^|_)(parallel|tp|sp|dp|pp|cp|ep|mp|world|comm|dist|sync|rank)_)group$|(^|[._])pg$|^group$"
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
        self, site: Copy, call: ast.expr, statement: ast.stmt, inside: Survey, by_import: bool = True
    ) -> tuple[Evidence | None, list[Hop]]:
        """What the model that `call` builds is seen to hold that can't be copied, and the steps that show it.

        `by_import`: that the file imports a library of layers with groups counts too.
        """
        hops = [Hop(self.path, statement.lineno, f"the model is built: {short(ast.unparse(call))}")]
        group = self._group_argument(site, call, statement)
        if group is not None:
            return Evidence.GROUP, [*hops, group]
        if inside.group is not None:
            return Evidence.GROUP, [*hops, hop(inside.group, "a process group is kept on a layer")]
        if inside.lock is not None:
            return Evidence.LOCK, [*hops, hop(inside.lock, "a lock is kept on a layer")]
        later = (self.parallel_layers() if by_import else None) or self._group_given_later(site, statement)
        if later is not None:
            return Evidence.GROUP, [*hops, later]
        return None, hops

    def _group_given_later(self, site: Copy, statement: ast.stmt) -> Hop | None:
        """Where a group is put on the model or its layers between its construction and `site`."""
        for node in walk_scope(self.between(site, statement)):
            if not isinstance(node, ast.Call):
                if puts_group(node, site.variable) and speaks_of_groups(self.models, self.path):
                    return Hop(self.path, node.lineno, "a process group is put on a layer")
                continue
            name = dotted(node.func) or ""
            if name.startswith(f"{site.variable}."):
                if (given := self._group_argument(site, node, site.statement)) is not None:
                    return given
            elif any(spelled(argument, site.variable) for argument in arguments_of(node)):
                found = self.models.resolve(self.path, name)
                if isinstance(found, Place) and isinstance(found.node, ast.FunctionDef):
                    for inner in ast.walk(found.node):
                        if puts_group(inner) and speaks_of_groups(self.models, found.path):
                            return Hop(found.path, inner.lineno, "a process group is put on a layer")
        return None

    def parallel_layers(self) -> Hop | None:
        source = self.models.project.source(self.path)
        if source is None or (match := _PARALLEL_LAYERS.search(source.text)) is None:
            return None
        line, _ = source.position(match.start())
        return Hop(self.path, line, f"layers of a model here hold process groups: {short(match.group().strip())}")

    def shards(self, node: ast.AST, key: str) -> ast.Call | None:
        """The call by which FSDP or DeepSpeed takes the model under `node`."""
        names = self.models.names(self.path)
        for call in walk_scope([node]):
            if isinstance(call, ast.Call) and names and SHARDED.search(names.qualified(dotted(call.func) or "")):
                given = [inner for value in arguments_of(call) for inner in ast.walk(value)]
                if call is node or any(spelled(inner, key) for inner in given):
                    return call
        return None

    def _group_argument(self, copy: Copy, call: ast.expr, statement: ast.stmt) -> Hop | None:
        if not isinstance(call, ast.Call):
            return None
        for keyword, value in [*((None, arg) for arg in call.args), *((kw.arg, kw.value) for kw in call.keywords)]:
            if isinstance(value, ast.Constant):
                continue
            name = dotted(value)
            if isinstance(value, ast.Call) and GROUP_CALL.search(dotted(value.func) or ""):
                return Hop(self.path, value.lineno, f"it is given the process group {short(ast.unparse(value))}")
            if name is None:
                continue
            for binding in self.bindings(copy.scope, name, statement):
                made = getattr(binding, "value", None)
                if isinstance(made, ast.IfExp):
                    made = made.body if isinstance(made.body, ast.Call) else made.orelse
                if isinstance(made, ast.Call) and GROUP_CALL.search(dotted(made.func) or ""):
                    return Hop(
                        self.path,
                        binding.lineno,
                        f"the process group that it is given is made: {short(ast.unparse(made))}",
                    )
            is_group = _GROUP_ARGUMENT.search(keyword or "") or _GROUP_ARGUMENT.search(name)
            if is_group and speaks_of_groups(self.models, self.path):
                return Hop(self.path, value.lineno, f"it is given a process group, `{name}`")
        return None

    def distributed(self) -> Hop | None:
        """Where the script, or a file that imports it, trains distributed."""
        stem = self.path[:-3].rpartition("/")[2]
        imported = re.compile(rf"^[ \t]*(from|import)\b.*\b{re.escape(stem)}\b", re.MULTILINE)
        own = self.models.project.source(self.path)
        assert own is not None
        starters = (
            (s for s in self.models.project.matching(imported, word=stem) if s.path != self.path)
            if stem != "__init__"
            else ()
        )
        for source in [own, *starters]:
            if match := _DISTRIBUTED.search(source.text):
                return Hop(source.path, source.position(match.start())[0], f"training is distributed: {match.group()}")
        return None


def hop(where: str, what: str) -> Hop:
    path, _, line = where.rpartition(":")
    return Hop(path, int(line), what)


def short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 80 else f"{text[:77]}..."
