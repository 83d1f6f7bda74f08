"""Syntax trees and facts of files that several tests hand in, made once: some 9 % of their CPU time.

Rules share the tree of a file within a run and change neither it nor its facts; tests share them in the same way.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
from collections.abc import Iterator
from typing import TYPE_CHECKING
from unittest import mock

if TYPE_CHECKING:
    from codemods.tree.source import Source

RECORDED = "SPAWNFIX_TESTS_RECORDED"  # a variable: each test is to execute all that it needs
MOST = 2000  # trees that are kept, those that were asked for last
SHORT = 5000  # characters: what is longer is about the length


@contextlib.contextmanager
def shared() -> Iterator[None]:
    """Meanwhile, a file that was parsed before gives the same tree, and a tree the same facts."""
    parse, project = importlib.import_module("codemods.tree.parse"), importlib.import_module("codemods.project")
    collector = importlib.import_module("codemods.flow.facts.collector")
    make_tree, make_facts = parse.parsed, collector.facts_of
    trees: dict[tuple[str, str], ast.Module] = {}  # by path and text: two files of a repository have two trees
    facts: dict[int, object] = {}  # by the identity of a tree that is kept; None: not asked for yet

    def parsed(source: Source) -> object:
        key = (source.path, source.text)
        if key in trees:
            tree = trees[key] = trees.pop(key)  # the last that was asked for
            return tree
        made = make_tree(source)
        if isinstance(made, ast.Module) and len(source.text) <= SHORT:
            trees[key] = made
            facts[id(made)] = None
            if len(trees) > MOST:
                del facts[id(trees.pop(next(iter(trees))))]
        return made

    def facts_of(path: str, tree: ast.Module) -> object:
        if id(tree) not in facts:
            return make_facts(path, tree)
        if facts[id(tree)] is None:
            facts[id(tree)] = make_facts(path, tree)
        return facts[id(tree)]

    with (
        mock.patch.object(parse, "parsed", parsed),
        mock.patch.object(project, "parsed", parsed),
        mock.patch.object(collector, "facts_of", facts_of),
    ):
        yield
