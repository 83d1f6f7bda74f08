"""What kind of object `.keys()` is called on: every way by which the source shows it."""

from __future__ import annotations

import ast
import textwrap

from codemods.project import Project
from codemods.syntax.receivers import ReceiverKind, Receivers, view_receiver
from codemods.syntax.repo import Repo
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row

HEAD = """\
import json
import h5py
import pandas as pd
import torch
from collections import OrderedDict, UserDict


class Own(dict):
    pass


class Deep(Own):
    pass


class Typed(TypedDict):
    name: str


class Ordered(OrderedDict):
    pass


class Frame(pd.DataFrame):
    pass


class Listed:
    def keys(self):
        return [1]


class Viewed:
    def keys(self):
        return self.d.keys()

    def values(self):
        return [1]


class Holds:
    note: dict
    later: "OrderedDict" = None

    def __init__(self, given: dict, frame):
        self.table, self.other = {}, 1
        self.plain = {}
        self.rows = []
        self.given = given
        self.mixed = {}
        self.mixed = []
        self.own = Own()
        self.quoted: "dict[str, int]" = load()
        self.guessed: Any = {}

    def made(self):
        return {}

    @property
    def inner(self) -> dict:
        return load()


class Heir(Holds):
    def __init__(self):
        self.held = Holds({}, 1)


class Late(Holds):
    def __init__(self):
        self.plain = []


def gives():
    return {}


def promises() -> dict:
    return load()


def mixes(x):
    if x:
        return {}
    return []


def nothing():
    pass


glob = OrderedDict()
"""
D, O, H, N, U = ReceiverKind.DICT, ReceiverKind.ORDERED, ReceiverKind.H5, ReceiverKind.OTHER, ReceiverKind.UNKNOWN  # noqa: E741


def kind(
    expression: str, method: str = "keys", head: str = HEAD, parameters: str = "arg", before: str = ""
) -> ReceiverKind:
    """The kind of `expression` in a function with `parameters`, after the statement `before`."""
    text = f"{head}\n\ndef here({parameters}):\n" + textwrap.indent(f"{before}\nTHIS({expression})\n", "    ")
    project = Project(MemoryFiles({"a.py": text.encode()}))
    repo = Repo(project)
    outline = repo.outline("a.py")
    assert outline is not None
    (call,) = (n for n in outline.nodes if isinstance(n, ast.Call) and ast.unparse(n.func) == "THIS")
    return Receivers(repo).kind(outline, call.args[0], method)


@each_row(
    ("expression", "wanted"),
    [
        ("{}", D),
        ("{k: 1 for k in arg}", D),
        ("[]", N),
        ("[k for k in arg]", N),
        ("{1}", N),
        ("{k for k in arg}", N),
        ("(1,)", N),
        ("'abc'", N),
        ("(x := {})", D),
        ("{} if arg else dict()", D),
        ("{} if arg else []", U),
        ("{} if arg else OrderedDict()", D),
        ("{} or arg", D),
        ("{} or []", U),
        ("{} | arg", D),
        ("{} - arg", U),
        ("arg.__dict__", D),
        ("dict(a=1)", D),
        ("OrderedDict()", O),
        ("json.load(arg)", D),
        ("json.dumps(arg)", U),
        ("vars(arg)", D),
        ("pd.read_csv(arg)", N),
        ("torch.sparse_coo_tensor(arg)", N),
        ("torch.load(arg)", U),
        ("arg.coalesce()", N),
        ("arg.to_sparse()", N),
        ("arg.state_dict()", D),
        ("{}.copy()", D),
        ("[].copy()", N),
        ("arg.copy()", U),
        ("h5py.File(arg)", H),
        ("h5py.File(arg)['group']", H),
        ("{}['key']", U),
        ("Own()", D),
        ("Deep()", D),
        ("Typed()", D),
        ("Ordered()", O),
        ("Frame()", N),
        ("Listed()", N),
        ("Viewed()", D),
        ("Holds({}, 1)", U),
        ("gives()", D),
        ("promises()", D),
        ("mixes(arg)", U),
        ("nothing()", U),
        ("unknown()", U),
        ("arg.get('k')", U),
        ("glob", O),
        ("lambda: 1", U),
        ("Holds({}, 1).plain", D),
        ("Holds({}, 1).rows", N),
        ("Holds({}, 1).given", D),
        ("Holds({}, 1).mixed", U),
        ("Holds({}, 1).note", D),
        ("Holds({}, 1).later", O),
        ("Holds({}, 1).quoted", D),
        ("Holds({}, 1).guessed", D),
        ("Holds({}, 1).own", D),
        ("Holds({}, 1).made", D),
        ("Holds({}, 1).inner", D),
        ("Holds({}, 1).absent", U),
        ("Heir().plain", D),
        ("Heir().rows", N),
        ("Late().plain", N),
        ("Late().table", U),
        ("Late().rows", N),
        ("Heir().held.plain", D),
        ("Heir().held.rows", N),
        ("Heir().held.held.plain", U),
    ],
)
def test_expressions(expression: str, wanted: ReceiverKind) -> None:
    assert kind(expression) is wanted


@each_row(
    ("parameters", "wanted"),
    [
        ("arg", U),
        ("arg: dict", D),
        ("arg: 'dict[str, int]'", D),
        ("arg: typing.Mapping[str, int]", D),
        *((f"arg: {around}[dict]", D) for around in ("Optional", "Final", "ClassVar", "typing.Final")),
        ("arg: Annotated[dict, list]", D),
        ("arg: Union[dict, None]", D),
        ("arg: Union[dict, list]", D),
        ("arg: dict | None", D),
        ("arg: None | OrderedDict", O),
        ("arg: pd.DataFrame", N),
        ("arg: Own", D),
        ("arg: Listed", N),
        ("arg: 'not an annotation'", U),
        ("arg: 3", U),
        ("arg: Listed, other: dict", N),
        ("*, arg: dict", D),
        ("arg: dict, /", D),
        ("**arg", D),
        ("*arg", U),
        ("arg: int = {}", U),
    ],
)
def test_annotations_of_parameters(parameters: str, wanted: ReceiverKind) -> None:
    assert kind("arg", parameters=parameters) is wanted


@each_row(
    ("parameters", "wanted"), [("arg: Holds", D), ("arg: 'Holds'", D), ("arg: Viewed", U), ("arg", U), ("arg: int", U)]
)
def test_attributes_of_parameters(parameters: str, wanted: ReceiverKind) -> None:
    assert kind("arg.plain", parameters=parameters) is wanted


@each_row(
    ("before", "wanted"),
    [
        ("t: dict = arg", D),
        ("t: Any = {}", D),
        ("t: Any = arg", U),
        ("t = {}", D),
        ("t = arg", U),
        ("t = {}\nt = OrderedDict()", O),
        ("t = {}\nt = []", N),
        ("if arg:\n    t = {}\nelse:\n    t = OrderedDict()", D),
        ("if arg:\n    t = {}\nelse:\n    t = []", U),
        ("if arg:\n    t = {}\nelse:\n    t = arg", D),
        ("for t in arg: pass", U),
        ("a = {}\nt = a", D),
        ("a = {}\nb = a\nc = b\nd = c\ne = d\nf = e\ng = f\nt = g", U),
    ],
)
def test_local_names(before: str, wanted: ReceiverKind) -> None:
    assert kind("t", before=before) is wanted


def test_the_method_that_is_called_counts() -> None:
    assert kind("Viewed()", "keys") is D
    assert kind("Viewed()", "values") is N
    assert kind("Viewed()", "items") is U


@each_row(
    ("text", "wanted"),
    [
        ("d.keys()", ("d", "keys")),
        ("d.x.items()", ("d.x", "items")),
        ("dict.keys(d)", ("d", "keys")),
        ("OrderedDict.items(d)", ("d", "items")),
        ("collections.OrderedDict.values(d)", ("d", "values")),
        ("d.copy()", None),
        ("keys()", None),
        ("d.keys(1)", None),
        ("d.keys(*a)", None),
        ("d.keys(a=1)", None),
        ("dict.keys()", None),
        ("dict.keys(d, e)", None),
        ("d.keys", None),
    ],
)
def test_shapes_of_views(text: str, wanted: tuple[str, str] | None) -> None:
    found = view_receiver(ast.parse(text, mode="eval").body)
    assert (None if found is None else (ast.unparse(found[0]), found[1])) == wanted


@each_row(("line", "wanted"), [(2, D), (4, N), (3, N), (99, N)])
def test_the_method_at_a_line(line: int, wanted: ReceiverKind) -> None:
    text = "class A:\n    def keys(self):\n        return self.d.keys()\n    def values(self):\n        return []\n"
    repo = Repo(Project(MemoryFiles({"a.py": text.encode()})))
    assert Receivers(repo).method_at("a.py", line) is wanted
    assert Receivers(repo).method_at("b.py", line) is N
