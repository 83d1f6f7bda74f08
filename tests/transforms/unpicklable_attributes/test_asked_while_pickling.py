"""Classes that derive from dict: before Python 3.11 pickle asks their `__getattr__` for `__getstate__`.

Where the tests run under such a Python, each class is pickled for real too.
"""

from __future__ import annotations

import pickle
import sys
import types

import pytest

from harness.each_row import each_row
from harness.small import migrated, reasons, reported

RULE = "unpicklable-attributes"
OLD = {"setup.py": "setup(name='a', python_requires='>=3.7')\n"}
SENDS = """

def work(thing):
    pass


if __name__ == "__main__":
    Process(target=work, args=(Thing(a=1),)).start()
"""
BODIES = {  # the class body: what pickling stops with before Python 3.11, or ""
    "__getattr__ = dict.__getitem__": "KeyError",
    "__getattr__ = dict.get\n__setattr__ = dict.__setitem__": "TypeError",
    "__setattr__ = dict.__setitem__\n\n__getattr__ = dict.get": "TypeError",
    "def __getattr__(self, name):\n    return self[name]": "KeyError",
    "def __getattr__(self, key):\n    return self.get(key)": "TypeError",
    "def __getattr__(self, key):\n    '''Documented.'''\n    return self.get(key, None)": "TypeError",
    "def __getattr__(self, key):\n    return dict.__getitem__(self, key)": "KeyError",
    "def __getattr__(self, key):\n    return super().__getitem__(key)": "KeyError",
    "def __getattr__(self, key):\n    return self.__getitem__(key)": "KeyError",
    "def __getattr__(self, key):\n    return dict.__getitem__({key: int}, key)": "",
    "def __getattr__(self, key):\n    return {key: int}.__getitem__(key)": "",
    "def __getattr__(self, key):\n    dict.__getitem__(self, 'a')\n    raise AttributeError(key)": "",
    "def __getattr__(self, key):\n    super().__getitem__('a')\n    raise AttributeError(key)": "",
    "def __getattr__(self, key):\n    self.__getitem__('a')\n    raise AttributeError(key)": "",
    "def __getattr__(self, key):\n    dict.__contains__(self, key)\n    raise AttributeError(key)": "",
    "def __getattr__(self, key):\n    if key in self:\n        return self[key]": "TypeError",
    "def __getattr__(self, key):\n    value = self[key]\n    return value": "KeyError",
    "def __getattr__(self, key):\n    if key in self:\n        return self[key]\n    raise AttributeError(key)": "",
    "def __getattr__(self, key):\n    try:\n        return self[key]\n    except KeyError:\n"
    "        raise AttributeError(key)": "",
    "def __getattr__(self, key):\n    if key.startswith('__'):\n        raise AttributeError(key)\n"
    "    return self[key]": "",
    "def __getattr__(self, key):\n    return self['a']": "TypeError of a number",
    "__getattr__ = dict.get\ndef __reduce__(self):\n    return Thing, (dict(self),)": "",
    "__getattr__ = dict.get\ndef __getstate__(self):\n    return None": "",
    "__getattr__ = dict.__getitem__\ndef __missing__(self, key):\n    raise AttributeError(key)": "",
    "def __getattr__(self, key):\n    return self[key]\ndef __getitem__(self, key):\n"
    "    return dict.get(self, key, int)": "",
    "def __getitem__(self, key):\n    return dict.get(self, key, int)\n__getattr__ = dict.get\n": "TypeError",
    "__getattr__ = dict.__getattribute__": "",
}


def program(body: str, base: str = "dict") -> str:
    lines = "".join(f"    {line}\n" if line else "\n" for line in body.split("\n"))
    return f"from multiprocessing import Process\nfrom collections import *\n\n\nclass Thing({base}):\n{lines}" + SENDS


@each_row("body", [body for body, failure in BODIES.items() if "number" not in failure])
def test_dicts_whose_items_are_attributes(body: str) -> None:
    found = reported({"a.py": program(body), **OLD}, RULE)
    assert len(found) == bool(BODIES[body])
    if sys.version_info < (3, 11):
        assert stops(program(body)) == BODIES[body]


@each_row("body", [body for body, failure in BODIES.items() if failure and "number" not in failure])
def test_the_fix_leaves_nothing_to_find(body: str) -> None:
    after = migrated({"a.py": program(body), **OLD}, RULE)
    assert not reported({**after, **OLD}, RULE)
    assert not stops(after["a.py"])


def test_a_method_in_place_of_the_one_of_dict() -> None:
    after = migrated({"a.py": program("__getattr__ = dict.get\n__setattr__ = dict.__setitem__"), **OLD}, RULE)
    assert """
class Thing(dict):
    def __getattr__(self, name):
        # pickle asks for these, and expects AttributeError where there are none
        if name in ("__getstate__", "__setstate__"):
            raise AttributeError(name)
        return dict.get(self, name)

    __setattr__ = dict.__setitem__
""" in after["a.py"]


def test_text_behind_it_is_left_alone() -> None:
    (reason,) = reasons({"a.py": program("__getattr__ = dict.get  # so"), **OLD}, RULE)
    assert "other text stands on its line" in reason


@each_row("base", ["OrderedDict", "defaultdict", "Counter", "list", "UserDict"])
def test_other_containers_say_how_they_are_pickled(base: str) -> None:
    body = "def __getattr__(self, name):\n    return self[name]"
    assert not [text for text in reported({"a.py": program(body, base), **OLD}, RULE) if "3.11" in str(text)]


@each_row("method", ["__getstate__", "__reduce__", "__reduce_ex__", "__getattribute__"])
def test_dicts_that_decide_it_themselves(method: str) -> None:
    body = "__getattr__ = dict.get\n\ndef {}(self, *given):\n    return ()"
    assert not reported({"a.py": program(body.format(method)), **OLD}, RULE)
    assert reported({"a.py": program(body.format("__len__")), **OLD}, RULE)


@pytest.mark.parametrize(
    "files",
    [
        pytest.param({}, id="no word of the Python"),
        pytest.param({"README.md": "Needs Python >= 3.12.\n"}, id="a newer one in words"),
        pytest.param({"setup.py": "setup(python_requires='>=3.11')\n"}, id="a new one"),
    ],
)
def test_newer_pythons_have_the_method(files: dict[str, str]) -> None:
    assert not reported({"a.py": program("__getattr__ = dict.get"), **files}, RULE)


def test_objects_that_stay() -> None:
    text = program("__getattr__ = dict.get").replace(
        "Process(target=work, args=(Thing(a=1),)).start()", "work(Thing())"
    )
    assert not reported({"a.py": text, **OLD}, RULE)


def stops(text: str) -> str:
    """The exception that pickling an object of the class, or loading it again, ends with; "" without."""
    module = types.ModuleType("sent")
    sys.modules["sent"] = module
    try:
        exec(text, module.__dict__)
        try:
            assert pickle.loads(pickle.dumps(module.Thing(a=1))) == {"a": 1}
        except Exception as error:
            return type(error).__name__
        return ""
    finally:
        del sys.modules["sent"]


@pytest.mark.parametrize("text", ["Tested on Python 3.6.", "conda create python=3.10", "needs python>=3.9"])
def test_the_guide_names_the_python(text: str) -> None:
    assert reported({"a.py": program("__getattr__ = dict.get"), "README.md": text}, RULE)


@pytest.mark.parametrize(
    ("body", "found"),
    [
        pytest.param("__getattr__ = Base.__getitem__", True, id="the one of dict, by the class below"),
        pytest.param("__getattr__ = Other.__getitem__", False, id="of another class"),
    ],
)
@pytest.mark.parametrize("own", [False, True])
def test_the_method_by_a_base_class(body: str, found: bool, own: bool) -> None:
    items = "def __getitem__(self, key):\n        return dict.get(self, key, int)" if own else "kind = 1"
    text = program(body, "Base").replace("class Thing", f"class Base(dict):\n    {items}\n\n\nclass Thing")
    assert bool(reported({"a.py": text, **OLD}, RULE)) == (found and not own)


def test_a_dict_of_the_base_class_inside() -> None:
    inner = "def __init__(self, **items):\n    self['inner'] = Base()\n__getattr__ = Base.__getitem__"
    text = program(inner, "Base").replace(
        "class Thing", "class Base(dict):\n    __getattr__ = dict.get\n\n\nclass Thing"
    )
    assert len(reported({"a.py": text, **OLD}, RULE)) == 2
    without = text.replace("Base()", "1")
    assert len(reported({"a.py": without, **OLD}, RULE)) == 1


@each_row("given", ["self", "self, name, default=None", "self, *names", "*names"])
def test_other_parameters_are_not_followed(given: str) -> None:
    assert not reported({"a.py": program(f"def __getattr__({given}):\n    return self[name]"), **OLD}, RULE)
