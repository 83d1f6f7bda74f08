"""What a new function is called: a row for each place that a lambda may stand in, and for what it may do."""

from __future__ import annotations

import ast

from codemods.project import Project
from codemods.syntax.scopes import Scopes
from codemods.transforms.lambdas.writing import branch_names, free_names, role_words
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row


def first_lambda(text: str) -> tuple[Scopes, ast.Lambda]:
    tree = ast.parse(text)
    return Scopes(tree), next(node for node in ast.walk(tree) if isinstance(node, ast.Lambda))


@each_row(
    ("text", "role"),
    [
        ("x = lambda a: b", "x"),
        ("x: object = lambda a: b", "x"),
        ("(x := lambda a: b)", "x"),
        ("x.field = lambda a: b", "field"),
        ("x['key'] = lambda a: b", "key"),
        ("x[0] = lambda a: b", "fn"),
        ("x[i] = lambda a: b", "x"),
        ("run(lambda a: b)", "run"),
        ("Run(lambda a: b)", "run"),
        ("Run(1, lambda a: b)", "run"),
        ("run(1, lambda a: b)", "run"),
        ("RandomCrop(lambda a: b)", "random_crop"),
        ("run(key=lambda a: b)", "key"),
        ("run(func=lambda a: b)", "func"),
        ("run(1, 2, key=lambda a: a)", "key"),
        ("Lambdad(keys='spacing', func=lambda a: b)", "spacing"),
        ("Lambdad(keys=['one', 'two'], func=lambda a: b)", "one_two"),
        ("Lambdad(keys=[1, 'two'], func=lambda a: b)", "func"),
        ("Lambdad('a b c d e f g h i j k l m n o p', fn=lambda a: b)", "fn"),
        ("Lambdad(0, fn=lambda a: b)", "fn"),
        ("x = {'first': lambda a: b}", "x_first"),
        ("x = {'first': [lambda a: b]}", "x_first"),
        ("x = {1: lambda a: b}", "x"),
        ("x = {k: lambda a: b}", "x"),
        ("x = {'': lambda a: b}", "x"),
        ("run({'first': lambda a: b})", "first"),
        ("run({'first': Wrap(key=lambda a: b)})", "first_key"),
        ("def g():\n    x = {'first': lambda a: b}", "first"),
        ("x = [lambda a: a]", "identity"),
        ("x = [lambda a: b]", "x"),
        ("x = [lambda a: a.reshape(2)]", "reshape"),
        ("x = [1, lambda a: a.reshape(2)]", "reshape"),
        ("x = [1, lambda a: a.max(dim=0).values]", "max"),
        ("x = [1, lambda a: a.t()]", "x"),
        ("x = [1, lambda a: a.t().max()]", "max"),
        ("x = [1, lambda a: g(a)]", "x"),
        ("x = [1, lambda a: fn2(a)]", "fn2"),
        ("x = [1, lambda a: a[0]]", "x"),
        ("x = [1, lambda a: a[c]]", "index"),
        ("x = [1, lambda a: a * 2]", "scale"),
        ("x = [1, lambda a: a / 2]", "scale"),
        ("x = [1, lambda a: a * 2 - 1]", "rescale"),
        ("x = [1, lambda a: a - 1]", "shift"),
        ("x = [1, lambda a: (a - 1) * 2]", "rescale"),
        ("x = [1, lambda a: a + c]", "x"),
        ("x = [1, lambda a: 2 * 3]", "x"),
        ("x = [1, lambda a: a % 2]", "x"),
        ("x = [1, lambda a: a > 0]", "greater"),
        ("x = [1, lambda a: a >= 0]", "at_least"),
        ("x = [1, lambda a: a < 0]", "less"),
        ("x = [1, lambda a: a <= 0]", "at_most"),
        ("x = [1, lambda a: a == 0]", "equal"),
        ("x = [1, lambda a: a != 0]", "not_equal"),
        ("x = [1, lambda a: a in c]", "x"),
        ("x = [1, lambda a: 0 < a < 1]", "x"),
        ("x = [1, lambda a: 0]", "zero"),
        ("x = [1, lambda a: False]", "constant"),
        ("x = [1, lambda a: 3]", "constant"),
        ("x = [1, lambda a: a]", "identity"),
        ("x = [1, lambda a, c: a]", "identity"),
        ("x = [1, lambda a, c: c]", "x"),
        ("x = [1, lambda a, c=1: a]", "x"),
        ("x = [1, lambda a, *c: a]", "x"),
        ("x = [1, lambda: a]", "x"),
        ("x = (lambda a: a) if c else d", "identity"),
        ("x = (lambda a: b) if c else d", "x"),
        ("x = c or (lambda a: a)", "identity"),
        ("defaultdict(lambda: 0)", "fn"),
        ("x = defaultdict(lambda: 0)", "x"),
        ("x = defaultdict(lambda a: a)", "identity"),
        ("x = partial(lambda a: b, 1)", "x"),
        ("Lambda(lambda a: a)", "identity"),
        ("data.map_tuple(c, lambda a: a)", "identity"),
        ("data.map_tuple(c, lambda a: a, fn=d)", "identity"),
        ("data.map(lambda a: a)", "map"),
        ("setattr(x, 'key', lambda a: a)", "key"),
        ("x = Compose(Lambda(lambda a: a))", "identity"),
        ("x = staticmethod(lambda a: b)", "x"),
        ("x.append(lambda a: b)", "x"),
        ("x.append(lambda a: a.reshape(2))", "reshape"),
        ("x.y.add(lambda a: b)", "y"),
        ("x.extend([lambda a: b])", "x"),
        ("x.insert(0, lambda a: b)", "x"),
        ("setattr(x, 'field', lambda a: b)", "field"),
        ("setattr(x, 'field', lambda a: b, 1)", "field"),
        ("setattr(x, y, lambda a: b)", "setattr"),
        ("log('accuracy', lambda a: b)", "accuracy"),
        ("log('train/acc', lambda a: b)", "train_acc"),
        ("log('two words', lambda a: b)", "log"),
        ("log('self.accuracy', lambda a: b)", "accuracy"),
        ("log('a' * 2, lambda a: b)", "log"),
        ("log('accuracy_that_is_much_too_long_for_a_name', lambda a: b)", "log"),
        ("log(lambda a: b, 'accuracy')", "log"),
        *((f"log('{'a' * long}', lambda a: b)", "a" * long if long < 25 else "log") for long in (24, 25)),
        *((f"Lambdad(keys='{'a' * long}', fn=lambda a: b)", "a" * long if long < 25 else "fn") for long in (24, 25)),
        ("Lambdad('a', 'c', fn=lambda a: b)", "a"),
        ("Lambdad(['a', c], 'd', fn=lambda a: b)", "d"),
        ("Lambdad(('a', 'c'), fn=lambda a: b)", "a_c"),
        ("Lambdad([], 'd', fn=lambda a: b)", "d"),
        ("Lambdad('3d', fn=lambda a: b)", "fn"),
        ("def g(first, second=lambda a: b): pass", "second"),
        ("def g(first=1, second=lambda a: b): pass", "second"),
        ("def g(first=lambda a: b, second=1): pass", "first"),
        ("def g(*, first, second=lambda a: b): pass", "second"),
        ("def g(first, /, second=lambda a: b): pass", "second"),
        ("return_(x)(lambda a: b)", "fn"),
        ("(lambda a: b)(x)", "fn"),
        ("def g():\n    return lambda a: b", "fn"),
        ("x = Compose(1, lambda a: a.reshape(2))", "reshape"),
        ("x = compose(1, lambda a: a.reshape(2))", "compose"),
        ("x = Compose(1, *[lambda a: a.reshape(2)])", "reshape"),
        ("x = Compose('name', lambda a: a.reshape(2))", "name"),
        ("x = {'first': [1, lambda a: a * 2]}", "x_first"),
        ("x = {'first': [1, lambda a: a.reshape(2)]}", "reshape"),
        ("x.map[2] = lambda a: b", "fn"),
        ("_3d(lambda a: b)", "fn"),
        ("x['3d'] = lambda a: b", "fn"),
    ],
)
def test_role(text: str, role: str) -> None:
    assert role_words.role(*first_lambda(text)) == role


@each_row(
    ("text", "numbers"),
    [
        ("lambda x: x.view(3, 1024)", "3_1024"),
        ("lambda x: x.view(0)", "0"),
        ("lambda x: x", ""),
        ("lambda x: x[-1]", "1"),
        ("lambda x: x.view(1, 2, 3)", "1_2_3"),
        ("lambda x: x.view(1, 2, 3, 4)", ""),
        ("lambda x: x.view(1, 2.0)", ""),
        ("lambda x: x.view(True)", ""),
        ("lambda x: x.view(1, 'a')", ""),
    ],
)
def test_numbers(text: str, numbers: str) -> None:
    assert role_words.numbers_of(first_lambda(text)[1]) == numbers


@each_row(
    ("text", "home", "owner"),
    [
        ("lambda: 1", "", ""),
        ("def buildLoader():\n    lambda: 1", "build_loader", ""),
        ("def f():\n    def g():\n        lambda: 1", "g", ""),
        ("class RandomCrop:\n    def __init__(self):\n        lambda: 1", "random_crop", "random_crop"),
        ("class RandomCrop:\n    def apply(self):\n        lambda: 1", "apply", "random_crop"),
        ("class RandomCrop:\n    def __apply(self):\n        lambda: 1", "apply", "random_crop"),
        ("class RandomCrop:\n    x = lambda: 1", "random_crop", "random_crop"),
        ("def __getattr__(name):\n    lambda: 1", "", ""),
        ("def f():\n    def __g__():\n        lambda: 1", "f", ""),
        ("def f():\n    class C:\n        def g(self):\n            lambda: 1", "g", "c"),
        ("async def f():\n    lambda: 1", "f", ""),
    ],
)
def test_home(text: str, home: str, owner: str) -> None:
    scopes, node = first_lambda(text)
    assert role_words.home_name(scopes, node) == home
    assert role_words.class_of(scopes, node) == owner


@each_row(
    ("home", "what", "name"),
    [
        ("", "collate_fn", "_collate_fn"),
        ("build_loader", "collate_fn", "_build_loader_collate_fn"),
        ("build_loader", "loader_fn", "_build_loader_fn"),
        ("build_loader", "build_loader_fn", "_build_loader_fn"),
        ("build_loader", "build_loader", "_build_loader"),
        ("build", "builder", "_builder"),
        ("file", "filename", "_filename"),
        ("to", "total", "_to_total"),  # it only begins so
        ("merge_fn", "merge", "_merge"),
        ("merge_func", "merge", "_merge"),
        ("merge_fn", "join", "_merge_fn_join"),
        ("a_b", "a_b_c", "_a_b_c"),
        ("x_a_b", "a_b_c", "_x_a_b_c"),
        ("x_a", "b_a", "_x_a_b_a"),
        ("a" * 18, "b" * 18, "_" + "a" * 18 + "_" + "b" * 18),
        ("a" * 18, "b" * 19, "_" + "b" * 19),
    ],
)
def test_private_names(home: str, what: str, name: str) -> None:
    assert role_words.private_name(home, what) == name


def names_in(text: str, **others: str) -> free_names.Names:
    files = {"a.py": text, **{f"{name}.py": other for name, other in others.items()}}
    project = Project(MemoryFiles({path: data.encode() for path, data in files.items()}))
    return free_names.Names(project, "a.py", Scopes(ast.parse(text)))


def test_names_that_are_free() -> None:
    names = names_in(
        "one = two_2 = 'three'  # four\n", other="x.five = 1\ndef six(): pass\nx = 'seven'\nclass Eight: pass\n"
    )
    assert [names.fresh(each) for each in ("new", "new", "new", "one", "two", "two", "three", "four")] == [
        "new", "new_2", "new_3", "one_2", "two", "two_3", "three_2", "four_2",
    ]  # fmt: skip
    assert (names.fresh("one", "other"), names.fresh("one", "other"), names.fresh("free", "unused")) == (
        "other", "one_3", "free",
    )  # fmt: skip
    assert (names.fresh("print"), names.fresh("lambda")) == ("print_2", "lambda_2")
    assert [names.fresh_attribute(each) for each in ("five", "six", "seven", "nine")] == [
        "five_2", "six_2", "seven_2", "nine",
    ]  # fmt: skip
    assert [names.is_defined(each) for each in ("", "six", "Eight", "seven", "nine")] == [
        True,
        True,
        True,
        False,
        False,
    ]
    assert names.is_word("three") and not names.is_word("new")
    assert not names.is_free("new") and names.is_free("ten") and not names.is_free("one")
    before = names.checkpoint()
    assert names.fresh("ten") == "ten" and names.keep("eleven") == "eleven" and not names.is_free("ten")
    names.rollback(*before)
    assert names.is_free("ten")


@each_row(
    ("text", "others", "keeps"),
    [
        ("def f():\n    def work(): pass\n", {}, True),
        ("def f():\n    def work(): pass\nwork = 1\n", {}, False),
        ("def f():\n    def work(): pass\nprint(work)\n", {}, False),
        ("def f():\n    def g():\n        def work(): pass\n", {}, True),
        ("def f():\n    work = 1\n    def g():\n        def work(): pass\n", {}, False),
        ("class C:\n    work = 1\n    def f(self):\n        def work(): pass\n", {}, True),
        ("from b import *\ndef f():\n    def work(): pass\n", {"b": ""}, False),
        ("def f():\n    def work(): pass\n", {"b": "from a import *\n"}, False),
        ("def f():\n    def work(): pass\n", {"b": "from a import work\n"}, False),
        ("def f():\n    def work(): pass\n", {"b": "from c import work\n", "c": ""}, True),
        ("def f():\n    def work(): pass\n", {"b": "import a\na.work\n"}, False),
        ("def f():\n    def work(): pass\n", {"b": "import a\nhasattr(a, 'work')\n"}, False),
        ("def f():\n    def work(): pass\n", {"b": "import a\ngetattr(a, 'work')\n"}, False),
        ("def f():\n    def work(): pass\n", {"b": "import a\ngetattr(a, 'other')\nwork\n"}, True),
        ("def f():\n    def work(): pass\n", {"b": "import c as a\na.work\n", "c": ""}, True),
        ("def f():\n    def work(): pass\nglobals()['x']\n", {}, False),
        ("def f():\n    def work(): pass\n    globals()['x']\n", {}, True),
        ("import sys\ndef f():\n    def work(): pass\nsys.modules[__name__]\n", {}, False),
        ("def f():\n    def work(): pass\nfor n in dir(): print(n)\n", {}, False),
        ("def f():\n    def test_it(): pass\n", {}, True),  # in a file that is none of tests
        ("def f():\n    def setup_it(): pass\n", {}, True),
        ("def f():\n    def teardown(): pass\n", {}, True),
        ("def f():\n    def __it(): pass\n", {}, False),
        ("def f():\n    def g(): pass\n", {}, False),
        ("def f():\n    def G(): pass\n", {}, True),
        ("def f():\n    def print(): pass\n", {}, False),
    ],
)
def test_names_that_are_kept(text: str, others: dict[str, str], keeps: bool) -> None:
    names = names_in(text, **others)
    scopes = Scopes(ast.parse(text))
    node = [each for each in ast.walk(scopes.tree) if isinstance(each, ast.FunctionDef)][-1]
    assert names.keeps(node.name, scopes.around(node)) is keeps
    if keeps:
        names.keep(node.name)
        assert not names.keeps(node.name, scopes.around(node))


@each_row(
    "path, beside, keeps",
    [
        ("__init__.py", "side.py", False),
        ("pkg/__init__.py", "pkg/side.py", False),
        ("pkg/__init__.py", "pkg/side/job.py", False),
        ("pkg/__init__.py", "pkg/sider.py", True),
        ("pkg/__init__.py", "side.py", True),
        ("pkg/a.py", "pkg/side.py", True),
    ],
)
def test_a_package_has_its_modules_under_their_names(path: str, beside: str, keeps: bool) -> None:
    text = "def f():\n    def side(): pass\n"
    scopes = Scopes(ast.parse(text))
    names = free_names.Names(Project(MemoryFiles({path: text.encode(), beside: b""})), path, scopes)
    node = [each for each in ast.walk(scopes.tree) if isinstance(each, ast.FunctionDef)][-1]
    assert names.keeps("side", scopes.around(node)) is keeps


def test_methods_of_classes_that_are_never_one_object_share_a_name() -> None:
    names = names_in("class A: pass\nclass B: pass\nclass C: pass\nold = 1\n", other="x.taken = 1\n")
    a, b, c = (node for node in ast.parse("class A: pass\nclass B: pass\nclass C: pass\n").body)
    assert isinstance(a, ast.ClassDef) and isinstance(b, ast.ClassDef) and isinstance(c, ast.ClassDef)

    def fresh(wanted: str, owner: ast.ClassDef) -> str:
        return names.fresh_method(wanted, owner, lambda one, other: {one, other} == {a, b})

    assert [fresh("new", owner) for owner in (a, b, c, b)] == ["new", "new", "new_2", "new_3"]
    assert (fresh("old", a), fresh("taken", a)) == ("old_2", "taken_2")
    before = names.checkpoint()
    assert fresh("late", a) == "late"
    names.rollback(*before)
    assert (fresh("late", c), fresh("new", a)) == ("late", "new_3")


@each_row(
    ("name", "expected"),
    [
        ("RandomCrop", "random_crop"),
        ("randomCrop", "random_crop"),
        ("random_crop", "random_crop"),
        ("random__crop", "random_crop"),
        ("_random_", "random"),
        ("RANDOM", "random"),
        ("random-crop.now", "random_crop_now"),
        ("train/acc", "train_acc"),
        ("Crop3D", "crop3d"),
        ("a b", "a_b"),
        ("", ""),
    ],
)
def test_snake(name: str, expected: str) -> None:
    assert role_words.snake(name) == expected


ELSE = "else:\n    x = lambda a: c"
VAGUE = ["f", "fn", "fun", "func", "function", "inner", "wrapper", "wrapped", "helper", "my", "new", "the", "do", "get"]


def branches(test: str, rest: str = ELSE, first: str = "x = lambda a: b") -> str:
    return f"if {test}:\n    {first}\n{rest}"


@each_row(
    ("text", "what", "expected"),
    [
        (branches("noise == 'normal'"), "noise", "normal_noise"),
        (branches("self.noise == 'normal'"), "noise", "normal_noise"),
        (branches("'normal' == noise"), "noise", "normal_noise"),
        (branches("noise == 'RandomCrop'"), "noise", "random_crop_noise"),
        *((branches("noise == 'normal'"), vague, "normal") for vague in VAGUE),
        (branches("noise == 'normal'"), "normal_fn", "normal_fn"),
        (branches("noise != 'normal'"), "noise", "noise"),
        (branches("noise == 3"), "noise", "noise"),
        (branches("noise == other"), "noise", "noise"),
        (branches("'a' == 'normal'"), "noise", "noise"),
        (branches("1 < noise == 'normal'"), "noise", "noise"),
        (branches("noise"), "noise", "noise"),
        (branches("noise == '3d'"), "noise", "noise_3d"),
        (branches("args.use_cuda"), "noise", "cuda_noise"),
        (branches("args.use_cuda"), "get_noise", "get_noise_cuda"),
        (branches("not use_cuda"), "noise", "noise"),
        (branches("scale is None"), "noise", "noise"),
        (branches("scale is not None"), "noise", "scale_noise"),
        (branches("is_train is True"), "noise", "train_noise"),
        (branches("args.use_2_hot_noise"), "get_noise", "get_noise_2_hot"),
        (branches("neg_head"), "fn", "neg_head"),
        (branches("noise == 'normal' and quantize"), "fn", "normal_quantize"),
        (branches("noise == 'normal' and not quantize"), "fn", "normal"),
        (branches("noise == 'normal' or quantize"), "fn", "fn"),
        *((branches(f"noise == '{'a' * long}'"), "it", "a" * long + "_it" if long < 25 else "it") for long in (24, 25)),
        (branches("noise == 'normal'", ""), "noise", "noise"),
        (branches("noise == 'normal'", "else:\n    y = lambda a: c"), "noise", "noise"),
        (branches("noise == 'normal'", "else:\n    x = 3"), "noise", "noise"),
        (branches("noise == 'normal'", "elif c:\n    x = lambda a: c"), "noise", "normal_noise"),
        (branches("noise == 'normal'", "elif c:\n    pass\n" + ELSE), "noise", "normal_noise"),
        (branches("c", "else:\n    x = lambda a: c", "pass"), "noise", "noise"),
        (branches("c", "elif noise == 'two':\n    x = lambda a: a\nelse:\n    pass", "pass"), "noise", "noise"),
        (branches("c", "elif noise == 'two':\n    x = lambda a: b\n" + ELSE, "pass"), "noise", "two_noise"),
        (branches("noise == 'two'", "else:\n    x = lambda a: a * 2", "x = 1\nif 1:\n    pass"), "noise", "noise"),
        ("if noise == 'two':\n    def f():\n        return lambda a: b\n" + ELSE, "noise", "noise"),
        (
            "if c:\n    if noise == 'two':\n        x = lambda a: b\n    else:\n        x = lambda a: c",
            "noise",
            "two_noise",
        ),
        (
            "if noise == 'two':\n    if c:\n        x = lambda a: b\n"
            "else:\n    for d in c:\n        for e in d:\n            x = lambda a: c",
            "noise",
            "two_noise",
        ),
    ],
)
def test_role_of_a_branch(text: str, what: str, expected: str) -> None:
    assert branch_names.branch_role(*first_lambda(text), what) == expected


@each_row(
    ("body", "expected"),
    [("a * 2", "noise_scale"), ("a", "noise_identity"), ("g(a)", "noise"), ("0", "noise_zero")],
)
def test_role_of_the_last_branch(body: str, expected: str) -> None:
    scopes = Scopes(ast.parse(branches("noise == 'two'", f"else:\n    x = lambda a: {body}")))
    last = [node for node in ast.walk(scopes.tree) if isinstance(node, ast.Lambda)][-1]
    assert branch_names.branch_role(scopes, last, "noise") == expected


@each_row(
    ("text", "words"),
    [
        ("lambda rows: torch.stack([normalize(row) for row in rows])", "normalize"),
        ("lambda rows: np.array([ToTensor()(row) for row in rows])", "to_tensor"),
        ("lambda rows: torch.stack([ToTensor()(row) for row in rows]).float()", "float"),
        ("lambda rows: torch.cat(tuple(row.view(-1) for row in rows))", "cat"),
        ("lambda rows: torch.cat([row for row in rows])", "cat"),
        ("lambda rows: torch.stack(rows)", "stack"),
        ("lambda rows: sorted([normalize(row) for row in rows])", "sorted"),
        ("lambda rows: Compose(first, second)(rows)", "compose"),
        ("lambda rows: torch.stack([t(row) for row in rows])", "stack"),
    ],
)
def test_what_is_done_to_each_row(text: str, words: str) -> None:
    node = ast.parse(text, mode="eval").body
    assert isinstance(node, ast.Lambda)
    assert role_words.describe_lambda(node) == words
