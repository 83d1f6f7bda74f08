"""`spawnfix explain PATH:LINE` as text."""

from __future__ import annotations

from collections.abc import Sequence

from ..flow.answers.explain import Site
from ..hazard_kind import HazardKind

_WORDS = {
    HazardKind.LAMBDA: "a lambda",
    HazardKind.FUNCTION: "a nested function",
    HazardKind.WRAPPER: "a wrapper of a decorator",
    HazardKind.CLASS: "a local class",
    HazardKind.DICT_VIEW: "a view of a dict",
    HazardKind.GENERATOR: "a generator",
    HazardKind.EVALUATED: "an evaluated text",
    HazardKind.LOADED: "a part of a module that is loaded by its path",
    HazardKind.MADE_CLASS: "a class that a call makes",
    HazardKind.MISNAMED: "a function that has another name where pickle looks for it",
    HazardKind.OBJECT: "an object of a library that can't be pickled",
}


def sites_text(path: str, line: int, sites: Sequence[Site]) -> str:
    """What stands on the line and what becomes of it, with the trace; ends in a newline."""
    if not sites:
        nothing = "no lambda, nested function, local class, view or generator here"
        return f"{path}:{line}: nothing that pickle rejects ({nothing})\n"
    lines: list[str] = []
    for site in sites:
        crossing = site.crossing
        sure = f"  {crossing.confidence.value}" if crossing is not None else ""
        lines.append(f"{path}:{site.line}  {_WORDS[site.kind]}{sure}")
        lines.append(f"  {site.verdict}")
        hops = crossing.trace if crossing is not None else site.places
        lines += [f"  {at}. {hop.path}:{hop.line}  {hop.what}" for at, hop in enumerate(hops, 1)]
        lines.append("")
    return "\n".join(lines)
