"""Programs that mean the same get the same findings and the same fix: all cases of before_after/, changed in memory.

`EXPECTED` lists every case that answers differently, with the reason: a new one fails, and so does one that is mended.
"""

from __future__ import annotations

import ast
import functools
import textwrap
from collections import defaultdict
from collections.abc import Iterable

import pytest

from codemods.settings import Settings
from harness.case import CASES, Case, folders
from harness.each_row import each_row
from harness.metamorphic import TRANSFORMATIONS, Contents, parsed, plain_layout
from harness.same_result import Result, difference, run

PROGRAMS = [f"{folder.parent.name}/{folder.name}" for folder in folders()]
MINIMUM = {  # cases that each transformation changes, at least
    "rename_self": 110, "rename_common": 50, "rename_locals": 220, "alias_imports": 230, "reorder_definitions": 180,
    "split_file": 200, "plain_layout": 260, "other_layout": 260,
}  # fmt: skip

_SELF = "attributes are looked for on `self` by that name"
_BELOW = "the name is bound further down then: refused, and the reason says what to move"
_ORDER = "what comes first gets the plain name, or stands first in the list of captured values"
_BY_NAME = "the function or class is told by its own name, not by where it is imported from"
_LOGGING = "`import logging` goes into the method where the module has not imported it under that name"

EXPECTED: dict[str, dict[str, str]] = {
    "rename_self": dict.fromkeys(
        [
            "launcher-env/trainer_of_another_file",
            "model-deepcopy/built_by_a_method",
            "model-deepcopy/built_one_call_away",
            "model-deepcopy/lock_in_a_layer",
            "model-deepcopy/much_to_carry_over",
            "model-deepcopy/table_of_models_then_ddp",
            "model-deepcopy/target_set_up_later",
            "model-deepcopy/teacher_is_there_already",
            "unpicklable-attributes/annotations_in_sqlite",
            "unpicklable-attributes/archives_on_demand",
            "unpicklable-attributes/base_and_derived",
            "unpicklable-attributes/class_with_slots",
            "unpicklable-attributes/closed_and_opened_again",
            "unpicklable-attributes/connection_of_each_thread",
            "unpicklable-attributes/database_in_memory",
            "unpicklable-attributes/endless_generators",
            "unpicklable-attributes/features_in_hdf5",
            "unpicklable-attributes/files_of_each_scene",
            "unpicklable-attributes/generator_of_torch",
            "unpicklable-attributes/given_through_a_base_class",
            "unpicklable-attributes/handed_to_a_partial",
            "unpicklable-attributes/handler_on_the_dataset",
            "unpicklable-attributes/hdf5_part_by_configuration",
            "unpicklable-attributes/header_was_read",
            "unpicklable-attributes/images_in_a_zip",
            "unpicklable-attributes/images_in_lmdb",
            "unpicklable-attributes/index_in_memory",
            "unpicklable-attributes/iterator_over_a_loader",
            "unpicklable-attributes/iterator_that_shuffles",
            "unpicklable-attributes/layer_with_a_lock",
            "unpicklable-attributes/lines_at_offsets",
            "unpicklable-attributes/lines_read_by_its_keeper",
            "unpicklable-attributes/lock_of_another_context",
            "unpicklable-attributes/lock_of_the_module",
            "unpicklable-attributes/locks_of_a_cache",
            "unpicklable-attributes/log_that_is_written",
            "unpicklable-attributes/loggers_of_an_old_python",
            "unpicklable-attributes/manager_of_a_cache",
            "unpicklable-attributes/mapped_in_one_branch",
            "unpicklable-attributes/module_that_may_be_missing",
            "unpicklable-attributes/numpy_on_self",
            "unpicklable-attributes/options_computed_once",
            "unpicklable-attributes/opened_in_one_branch",
            "unpicklable-attributes/opened_on_demand",
            "unpicklable-attributes/opened_together_on_demand",
            "unpicklable-attributes/parameters_of_a_net",
            "unpicklable-attributes/paths_of_a_generator",
            "unpicklable-attributes/pool_on_self",
            "unpicklable-attributes/queue_that_is_filled",
            "unpicklable-attributes/shards_in_tar_files",
            "unpicklable-attributes/shards_of_a_folder_or_one_file",
            "unpicklable-attributes/state_methods_are_there",
            "unpicklable-attributes/thread_with_state_methods",
        ],
        _SELF,
    ),
    "rename_common": {},
    "rename_locals": {"lambdas/functools_is_taken": "the case is about a parameter that is called `functools`"},
    "alias_imports": {
        "dict-views/ordered_dict_of_heads": "likely instead of proven: what `OD.keys(x)` gives does not flow on",
        "lambdas/counting_reader": _BY_NAME,
    },
    "reorder_definitions": {
        "lambdas/class_made_in_a_function": _BELOW,
        "lambdas/decorated_with_wraps": _BELOW,
        "lambdas/frames_of_a_video": _BELOW,
        "lambdas/dataset_reads_settings": _ORDER,
        "lambdas/stable_cascade": _ORDER,
    },
    "split_file": {
        "launcher-env/needs_a_launcher": "possible where another file reads it, which other programs may import too",
        "lambdas/hooks_on_layers": "a hook that another file puts on may be removed by any file that removes one",
        "main-guard/setup_above_the_guard": "the import of the new file stands between the statement and the guard",
        "main-guard/start_method_is_set": "the import of the new file stands between the statement and the guard",
        "lambdas/first_of_each_row": "`operator` is imported under its own name where the new file does not import it",
        "lambdas/frames_of_a_video": "whether a decorator only wraps is not looked up in another file: refused",
        "unpicklable-attributes/loggers_of_an_old_python": _LOGGING,
    },
    "plain_layout": {
        "dist-launcher/deepspeed_passes_the_rank": "a comment that names deepspeed tells which launcher is used",
        "lambdas/passes_on_look_alikes": "`name = lambda ...` with a comment behind it stays, and the comment with it",
    },
    "other_layout": {},
}


@functools.cache
def program(name: str, as_written: bool) -> Contents:
    contents = Case.load(CASES / name).contents()
    return contents if as_written else plain_layout(contents).contents


@functools.cache
def result(name: str, as_written: bool) -> Result:
    return run(program(name, as_written), Case.load(CASES / name).settings())


def differing(transformation: str, names: Iterable[str]) -> tuple[dict[str, str], int]:
    """The programs among `names` that answer differently once changed, and how many were changed."""
    found, count = {}, 0
    as_written = transformation.endswith("_layout")
    for name in names:
        before = program(name, as_written)
        change = TRANSFORMATIONS[transformation](before)
        if change is None:
            continue
        count += 1
        for path in parsed(before):
            compile(change.contents[path], path, "exec", dont_inherit=True)
        after = run(change.contents, Case.load(CASES / name).settings())
        text = difference(result(name, as_written), after, change)
        if text is not None:
            found[name] = text
    return found, count


def sample() -> list[str]:
    """Two cases of every rule: the first and the middle one."""
    of_rule: dict[str, list[str]] = defaultdict(list)
    for name in PROGRAMS:
        of_rule[name.partition("/")[0]].append(name)
    return [names[at] for names in of_rule.values() for at in (0, len(names) // 2)]


@pytest.mark.slow
@pytest.mark.in_process
@pytest.mark.parametrize("transformation", TRANSFORMATIONS)
def test_some_programs(transformation: str) -> None:
    names = sample()
    found, count = differing(transformation, names)
    assert found.keys() == EXPECTED[transformation].keys() & {*names}, found
    assert count >= 2


@pytest.mark.slow
@pytest.mark.parametrize("transformation", TRANSFORMATIONS)
def test_all_programs(transformation: str) -> None:
    found, count = differing(transformation, PROGRAMS)
    expected = EXPECTED[transformation].keys()
    assert not found.keys() - expected, {name: found[name] for name in found.keys() - expected}
    assert not expected - found.keys(), "these answer the same now: take them out of EXPECTED"
    assert count >= MINIMUM[transformation]


# The transformations themselves


SMALL = """\
import os
from functools import partial as p


def first(args, *, model=None):
    model = [args for args in args]
    return lambda x: (args, x, model)


def second(self, path: str = os.sep):
    return p(first, path)(self.model)


@second
def third():
    pass


args = third()
"""


@each_row(
    ("name", "after"),
    [
        (
            "rename_self",
            SMALL.replace("self", "me"),
        ),
        (
            "rename_common",
            SMALL.replace("args", "opt").replace("model", "net").replace("self.net", "self.model"),
        ),
        (
            "rename_locals",
            SMALL.replace("args", "args_q")
            .replace("model", "model_q")
            .replace("self.model_q", "self.model")
            .replace("lambda x: (args_q, x,", "lambda x_q: (args_q, x_q,")
            .replace("path", "path_q")
            .replace("args_q = third", "args = third"),
        ),
        (
            "alias_imports",
            SMALL.replace("import os", "import os as os_q")
            .replace("os.sep", "os_q.sep")
            .replace("as p", "as p_q")
            .replace("p(first", "p_q(first"),
        ),
        (
            "reorder_definitions",
            """\
            import os
            from functools import partial as p

            def second(self, path: str=os.sep):
                return p(first, path)(self.model)

            @second
            def third():
                pass

            def first(args, *, model=None):
                model = [args for args in args]
                return lambda x: (args, x, model)
            args = third()
            """,
        ),
    ],
)
def test_transformation(name: str, after: str) -> None:
    change = TRANSFORMATIONS[name]({"a.py": SMALL.encode()})
    assert change is not None
    assert ast.dump(ast.parse(change.contents["a.py"])) == ast.dump(ast.parse(textwrap.dedent(after)))


def test_split_takes_what_stands_alone() -> None:
    change = TRANSFORMATIONS["split_file"]({"pkg/a.py": SMALL.encode(), "pkg/__init__.py": b""})
    assert change is not None
    assert change.contents["pkg/a_parts.py"].decode().splitlines()[:2] == [
        "def first(args, *, model=None):",
        "    model = [args for args in args]",
    ]
    assert "from .a_parts import first" in change.contents["pkg/a.py"].decode()


def test_names_that_callers_use_stay() -> None:
    source = b"def load(model):\n    args = 1\n    return args\n\n\nload(model=2)\n"
    change = TRANSFORMATIONS["rename_common"]({"a.py": source})
    assert change is not None
    assert change.contents["a.py"] == b"def load(model):\n    opt = 1\n    return opt\nload(model=2)\n"


def test_layout_changes_quotes_and_indentation_alone() -> None:
    source = "def f(x):\n    # why\n    if x:\n        return ['a', \"it's\"]\n    return '''b'''\n"
    change = TRANSFORMATIONS["other_layout"]({"a.py": source.encode()})
    assert change is not None
    assert change.contents["a.py"].decode() == (
        "def f(x):\n    # why\n\tif x:\n\t\treturn [\"a\", \"it's\"]\n\treturn '''b'''\n"
    )


def test_another_fix_is_a_difference() -> None:
    """What the comparison must see: another fix, and another finding."""
    source = {"a.py": b"from multiprocessing import Pool\n\n\ndef main():\n    Pool(2).map(lambda x: x + 1, [1])\n"}
    other = {"a.py": source["a.py"].replace(b"x + 1", b"x + 2")}
    change = plain_layout(source)
    settings = Settings()
    before = run(source, settings)
    assert before.findings and before.contents != source
    assert difference(before, run(change.contents, settings), change) is None
    assert difference(before, run(other, settings), change) == "another fix"
    assert "findings" in str(difference(before, run({"a.py": b""}, settings), change))
