"""What a local function or class does to its surroundings, which it would do on import or not in a spawned process."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.small import migrated, reasons

RULE = "lambdas"
SENT = """\
from multiprocessing import Process
{above}

def build(scale):
{body}
    return made


def main():
    Process(target=build(3), args=(1,)).start()


if __name__ == "__main__":
    main()
"""
DOUBLE = "    class Double(Task):\n        def __call__(self, x):\n            return 2 * x\n\n    made = Double()"
TASK = "\nclass Task:\n    pass\n\n\nclass Plugin:\n    pass\n\n"


def program(above: str, body: str) -> dict[str, str]:
    return {"run.py": SENT.format(above=above, body=body)}


@pytest.mark.parametrize(
    "lists",
    [
        "def kinds():\n    return Task.__subclasses__()\n\n",
        "def kinds(cls):\n    return [each.__name__ for each in cls.__subclasses__()]\n\n",
    ],
)
def test_what_derives_from_its_base_is_listed(lists: str) -> None:
    (reason,) = reasons(program(f"{TASK}\n{lists}", DOUBLE), RULE)
    assert "lists what derives from a class, and would see it from the import on" in reason


def test_what_derives_from_another_class_is_listed() -> None:
    lists = "def kinds():\n    return Plugin.__subclasses__()\n\n"
    text = migrated(program(f"{TASK}\n{lists}", DOUBLE), RULE)["run.py"]
    assert "\n\nclass Double(Task):\n" in text


FIELD = """
class Field:
    def {method}(self, owner, name):
        print(name)

"""
ROW = """\
    class Row:
        size = {value}

        def __call__(self, x):
            return len((x, self.size))

    made = Row()"""


@pytest.mark.parametrize("method", ["__set_name__", "__get__", "__set__"])
def test_a_descriptor_is_no_attribute_of_an_object(method: str) -> None:
    (reason,) = reasons(program(FIELD.format(method=method), ROW.format(value="Field()")), RULE)
    assert "`Field()` (line 11) may be a descriptor, which works on a class only" in reason


def test_an_object_of_an_installed_class_may_be_a_descriptor() -> None:
    (reason,) = reasons(program("import models\n", ROW.format(value="models.Integer(3)")), RULE)
    assert "may be a descriptor" in reason


def test_an_object_of_a_class_that_is_none() -> None:
    above = FIELD.format(method="show")
    assert "def __init__(self, size):" in migrated(program(above, ROW.format(value="Field()")), RULE)["run.py"]


COUNT = "    def made(x):\n        global count\n        {statement}\n        return x * scale"


@pytest.mark.parametrize("statement", ["count += 1", "count = count + scale"])
def test_it_goes_on_from_a_variable_of_the_module(statement: str) -> None:
    (reason,) = reasons(program("count = 0\n", COUNT.format(statement=statement)), RULE)
    assert reason.startswith("it changes `count` (line 8), and a spawned worker goes on from the value of the import")


def test_it_sets_a_variable_of_the_module() -> None:
    assert migrated(program("count = 0\n", COUNT.format(statement="count = x")), RULE)


def test_a_variable_that_the_module_itself_goes_on_from() -> None:
    above = "count = 1\ncount += 2\n"
    assert migrated(program(above, "    made = lambda x: x * scale * count"), RULE)


CASE = "    class Hidden({base}):\n        def runTest(self):\n            print(1)\n\n    made = Hidden()"
CASES = {
    "unittest.TestCase": "import unittest\n",
    "unittest.IsolatedAsyncioTestCase": "import unittest\n",
    "Base": "from unittest import TestCase\n\n\nclass Base(TestCase):\n    pass\n\n",
}


@pytest.mark.parametrize("base", CASES)
def test_test_cases_are_collected(base: str) -> None:
    """Also under a name that begins with an underscore."""
    (reason,) = reasons(program(CASES[base], CASE.format(base=base)), RULE)
    assert "at module level test runners collect and run it" in reason


def test_what_only_looks_like_a_test_case() -> None:
    above = "import unittest\n\n\nclass Case:\n    def __call__(self, x):\n        print(x)\n\n"
    assert "\n\nclass Hidden(Case):\n" in migrated(program(above, CASE.format(base="Case")), RULE)["run.py"]


EXAMPLES = '    def made(x):\n        """Scales.\n\n        {example}\n        """\n        print(x * scale)\n'
DOCTEST = {"tests.py": "import doctest\nimport run\n\ndoctest.testmod(run)\n"}


def test_examples_of_docstrings_are_collected() -> None:
    (reason,) = reasons(program("", EXAMPLES.format(example=">>> made(1)")) | DOCTEST, RULE)
    assert "`doctest` finds at module level and not here (tests.py uses `doctest`)" in reason


@pytest.mark.parametrize(("example", "more"), [(">>> made(1)", {}), ("made(1)", DOCTEST)])
def test_no_examples_are_collected(example: str, more: dict[str, str]) -> None:
    assert "def _build_made(" in migrated(program("", EXAMPLES.format(example=example)) | more, RULE)["run.py"]


AT_IMPORT = "class Crops:\n    area = settings.IMAGE_SIZE * 2\n"
SETTINGS = "IMAGE_SIZE = 32\n\n\ndef update(**values):\n    {how}\n"
OF_SETTINGS = """\
import multiprocessing as mp
import settings


def build():
    class Crops:
        area = settings.IMAGE_SIZE * 2

        def run(self):
            return self.area

    return Crops()


if __name__ == "__main__":
    settings.update(IMAGE_SIZE=48)
    mp.Process(target=build().run).start()
"""


@each_row(
    ("how", "at_import"),
    [
        ("globals().update(values)", False),
        ("globals()['IMAGE_SIZE'] = 3", False),
        ("import sys\n    vars(sys.modules[__name__]).update(values)", False),
        ("print(globals().get('IMAGE_SIZE'))", True),
        ("print('IMAGE_SIZE' in globals())", True),
    ],
)
def test_a_value_of_a_module_that_sets_its_globals_by_text(how: str, at_import: bool) -> None:
    files = {"settings.py": SETTINGS.format(how=how), "train.py": OF_SETTINGS}
    assert (AT_IMPORT in migrated(files, "lambdas")["train.py"]) is at_import


def test_a_value_of_a_module_that_another_file_sets_by_a_computed_name() -> None:
    files = {"settings.py": SETTINGS.format(how="pass"), "train.py": OF_SETTINGS}
    merge = "import settings\n\n\ndef merge(values):\n    for name in values:\n        setattr(settings, name, 1)\n"
    assert AT_IMPORT in migrated(files, "lambdas")["train.py"]
    assert AT_IMPORT not in migrated({**files, "merge.py": merge}, "lambdas")["train.py"]


SCALED = """\
import multiprocessing as mp


def build():
    from settings import scale

    def crop(x):
        return scale(x)

    return crop


if __name__ == "__main__":
    mp.Process(target=build()).start()
"""


@each_row(
    ("how", "is_taken"),
    [
        ("globals().update(values)", True),
        ("globals()['scale'] = len", True),
        ("global scale\n    scale = len", True),
        ("print(globals().get('scale'))", False),
        ("pass", False),
    ],
)
def test_a_function_of_a_module_that_sets_its_globals_by_text(how: str, is_taken: bool) -> None:
    text = f"def scale(x):\n    return x\n\n\ndef update(**values):\n    {how}\n"
    after = migrated({"settings.py": text, "train.py": SCALED}, "lambdas")["train.py"]
    assert ("return functools.partial(_build_crop, scale)" in after) is is_taken
