"""The scripts that a launch line starts, each read once: their programs, options and ranks of their own."""

from __future__ import annotations

import re
from functools import cached_property

from ...finding import Refused
from ...launch import containers
from ...launch.entry_places import ending, entry_places, left_for
from ...launch.hosts import Host
from ...launch.lines import LaunchLine, Starter
from ...project import Project
from ...syntax.argparse_options import Option
from ...syntax.modules import Modules
from ...tree.suffixes import SHELL_SCRIPT
from . import program as entries
from .local_rank import RankOption, rank_option, rank_options
from .script_calls import Files, given
from .self_spawning import OwnRanks, own_ranks, under_line
from .shell_files import naming_scripts
from .unseen_parser import unseen_option

_TORCH = (Starter.LAUNCH, Starter.TORCHRUN)
_SETS_LOCAL_RANK = re.compile(r"^[^#\n]*?\bLOCAL_RANK=", re.MULTILINE)
_BELOW = re.compile(r"[\"']?\$(?:\{(?=\w+\}))?(\w+)\}?[\"']?/((?:[\w.-]+/)+[\w.-]+\.py)[\"']?")
_HERE = re.compile(  # from where a script runs, or where it stands
    r"[\"']?(?:\$(?:PWD\b|\{PWD\}|\(pwd\))|`pwd`|\.\.?(?:/|\s|$)|\$\((?:cd|dirname|realpath|readlink)\b|`(?:dirname|realpath)\b)"
)
_MOST = 12  # scripts of one name that are read


class Scripts:
    """The scripts of one project."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.modules = Modules(project.python_paths)
        self.files = set(project.paths)
        self._programs: dict[str, entries.Program | None] = {}
        self._own: dict[str, OwnRanks | None] = {}
        self._options: dict[str, list[Option]] = {}
        self._unseen: dict[str, tuple[str, int] | None] = {}
        self._rank_options: dict[tuple[str, bool], RankOption] = {}
        self._named: dict[str, bool] = {}
        self._set_here: dict[str, bool] = {}

    def targets(self, line: LaunchLine) -> list[str] | Refused:
        """The files of the project that the line starts, or why that can't be seen."""
        if line.problem is not None or line.entry is None:
            return Refused(line.problem or "no script is named on the line")
        if line.flag("no-python", "run-path") is not None:
            return Refused("it starts a program that is not a Python script")
        if not line.entry_values:
            if seen := self._under_variable(line.entry.text) or self._from_callers(line):
                return seen
            return Refused(f"which script `{line.entry.text}` names is only known when the line runs")
        found: list[str] = []
        for value in line.entry_values:
            here = self._module(line, value) if line.entry_is_module else self._file(line, value)
            if not here:
                return Refused(self._not_found(line, value))
            found += here
        return list(dict.fromkeys(found))

    def seen_targets(self, line: LaunchLine) -> list[str]:
        """The files of the project that the line starts, as far as they can be seen."""
        found = self.targets(line)
        return [] if isinstance(found, Refused) else found

    def is_gone(self, line: LaunchLine) -> bool:
        """No file of the project has the name of the script, wherever the line is run: as it stands it can't start."""
        names = {value.rpartition("/")[2] for value in line.entry_values if value.endswith(".py")}
        if not names or line.entry_is_module or line.flag("no-python", "run-path") is not None:
            return False
        return names.isdisjoint(path.rpartition("/")[2] for path in self.files)

    def _not_found(self, line: LaunchLine, value: str) -> str:
        assert line.entry is not None
        if (gone := left_for(line, value)) is None or line.entry_is_module:
            return f"the script `{line.entry.text}` is not found in this repository"
        folder = f"`{gone[0]}`" if gone[0] else "a folder that is known when it runs"
        return f"a line above goes to {folder}, so which script `{line.entry.text}` is can't be seen"

    def _module(self, line: LaunchLine, name: str) -> list[str]:
        place = self.modules.absolute(line.path, name)
        if place is not None and place.endswith(f"{name.replace('.', '/')}/__init__.py"):
            place = place.removesuffix("__init__.py") + "__main__.py"
        return [place] if place is not None and place in self.files else []

    def _file(self, line: LaunchLine, name: str) -> list[str]:
        places, certain = entry_places(line, name)
        if name.startswith("/") and line.host is not Host.GUIDE:
            return self._in_a_checkout(line, name)
        if line.host is not Host.GUIDE and (gone := left_for(line, name)) is not None:
            return self._as_told_by_options(line, gone[1])
        if certain and (places or line.host is not Host.GUIDE):
            here = [place for place in places if place in self.files]
            if here or line.host is not Host.GUIDE or line.starter not in _TORCH or line.command.folders:
                return here
            return self._below_a_folder(line, name) if "/" in name else self._anywhere(name)
        tail = re.sub(r"^(?:\.{1,2}/)+", "", name)  # its folder is unknown: a path of several parts may be the only one
        ends = ending(self.files, tail)
        return ends if len(ends) == 1 and "/" in tail else []

    def _as_told_by_options(self, line: LaunchLine, name: str) -> list[str]:
        """The only file of such a path, where it is one of several parts, or knows all options that the line gives it.

        Where the line is run is not known: in this repository, as it seems.
        """
        ends = ending(self.files, name)
        given = [word.value or word.text for word in line.arguments]
        options = {each.partition("=")[0].lstrip("-") for each in given if each.startswith("--")}
        program = self.program(ends[0]) if len(ends) == 1 else None
        if "/" in name or program is None:
            return ends if len(ends) == 1 and "/" in name else []
        known = {each.replace("-", "_") for each in options if program.says(f'"--{each}"', f"'--{each}'")}
        return ends if known and known == {each.replace("-", "_") for each in options} else []

    def _in_a_checkout(self, line: LaunchLine, name: str) -> list[str]:
        """The file that a whole path names where somebody keeps this repository: `/home/me/repo/examples/a/train.py`.

        It must lie beside the line, or in a folder beside that of the line, below one that both are in: others may be
        those of any checkout (`/opt/detection/tools/train.py`).
        """
        parts = name.split("/")
        found = next((tail for at in range(1, len(parts)) if (tail := "/".join(parts[at:])) in self.files), "")
        above, own = "/".join(found.split("/")[:-2]), "/".join(line.path.split("/")[:-2])
        return [found] if above and above == own else []

    def _below_a_folder(self, line: LaunchLine, name: str) -> list[str]:
        """The only file of such a path, where the guide went to the folder above it earlier: `cd code`."""
        ends = ending(self.files, name)
        source = self.project.source(line.path)
        if len(ends) != 1 or source is None:
            return []
        folder = re.escape(ends[0].removesuffix(f"/{name}"))
        went = re.compile(rf"^[ \t]*(?:[$>][ \t]*)?cd[ \t]+(?:[\w.-]+/)*{folder}/?[ \t]*(?:$|[;&])", re.MULTILINE)
        return ends if went.search(source.text, 0, line.module.start) is not None else []

    def _under_variable(self, text: str) -> list[str]:
        """The only file of such a path below a folder that a script of the repository sets: `$ROOT/bin/train.py`.

        What the variable says must be a place from where that script runs, and no other checkout.
        """
        match = _BELOW.fullmatch(text)
        if match is None:
            return []
        ends = ending(self.files, match[2])
        return ends if len(ends) == 1 and self._is_set_here(match[1]) else []

    @cached_property
    def _naming_scripts(self) -> Files:
        return list(naming_scripts(self.project))

    def _from_callers(self, line: LaunchLine) -> list[str]:
        """What the documented calls of the shell script that holds the line name: `./launch.sh train.py 8`."""
        if line.parameter is None or line.host is not Host.SCRIPT or line.entry_is_module:
            return []
        names = given(self.project, self._naming_scripts, line.path, line.parameter) or []
        return sorted({path for name in names for path in self._file(line, name) if path.endswith(".py")})

    def _is_set_here(self, variable: str) -> bool:
        if variable not in self._set_here:
            sets = re.compile(rf"\b{variable}=(.*)")
            values = [
                match[1]
                for path in self.project.paths
                if SHELL_SCRIPT.search(path) and (source := self.project.source(path)) is not None
                for match in sets.finditer(source.text)
            ]
            self._set_here[variable] = bool(values) and all(map(_HERE.match, values))
        return self._set_here[variable]

    def _anywhere(self, name: str) -> list[str]:
        """The only file of that name, or several that take their `--local_rank` from the same place.

        A guide may leave out the folder where a script stands.
        """
        found = sorted(path for path in self.files if path.endswith(f"/{name}"))
        if len(found) > _MOST:
            return []
        programs = [program for path in found if (program := self.program(path)) is not None]
        if len(found) == 1 or len(programs) < len(found):
            return found if len(programs) == 1 else []
        options = {tuple((option.path, option.line) for option in self.rank_options(each)) for each in programs}
        return found if len(options) == 1 and options != {()} else []

    def program(self, target: str) -> entries.Program | None:
        """The script `target` with what it imports; None where it can't be parsed."""
        if target not in self._programs:
            self._programs[target] = entries.program(self.project, target)
        return self._programs[target]

    def own_ranks(self, line: LaunchLine, program: entries.Program) -> OwnRanks | None:
        """Where the program starts ranks itself when it is started by `line`."""
        own = self.starts_ranks(program)
        return None if own is None else under_line(own, program, line)

    def starts_ranks(self, program: entries.Program) -> OwnRanks | None:
        """Where the program starts ranks itself, whatever starts it."""
        if program.path not in self._own:
            self._own[program.path] = own_ranks(program)
        return self._own[program.path]

    def rank_options(self, program: entries.Program) -> list[Option]:
        """The script's `--local_rank` options."""
        if program.path not in self._options:
            self._options[program.path] = rank_options(program)
        return self._options[program.path]

    def unseen_option(self, program: entries.Program) -> tuple[str, int] | None:
        """Where an option may come from that is not in sight: (path, line)."""
        if program.path not in self._unseen:
            self._unseen[program.path] = unseen_option(self.project, program)
        return self._unseen[program.path]

    def rank_option(self, program: entries.Program, option: Option, line: LaunchLine | None = None) -> RankOption:
        """What the script does with the value of `option`.

        Where `line` passes the rank on each of several nodes, the rank among all is not the same.
        """
        world = line is None or line.nodes == "1" or line.starter is not Starter.LAUNCH
        if (program.path, world) not in self._rank_options:
            found = rank_option(program, option, self._is_named_elsewhere, world)
            self._rank_options[program.path, world] = found
        return self._rank_options[program.path, world]

    def _is_named_elsewhere(self, function: str) -> bool:
        """Some file of the repository names the function outside of its definition, so that it may be called."""
        if function not in self._named:
            pattern = re.compile(rf"(?<!\bdef )\b{re.escape(function)}\b")
            self._named[function] = any(self.project.matching(pattern, word=function))
        return self._named[function]


def local_rank_in_shell(project: Project, target: str) -> str | None:
    """The place of a shell text that sets LOCAL_RANK and names the script `target`, which no launcher starts."""
    name = target.rpartition("/")[2]
    for path in project.paths:
        if containers.host_of(path, "#!sh") not in (Host.SCRIPT, Host.RECIPE, Host.IMAGE, Host.WORKFLOW):
            continue
        try:
            is_named = name.encode() in project.data(path)
        except OSError:
            continue
        source = project.source(path) if is_named else None
        found = _SETS_LOCAL_RANK.search(source.text) if source is not None else None
        if source is not None and found is not None:
            return f"{path}:{source.position(found.end())[0]}"
    return None
