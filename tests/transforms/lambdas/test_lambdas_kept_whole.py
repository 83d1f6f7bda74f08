"""Functions that move with their decorator or out of the `else` of a `try`, and what is bound to an object."""

from __future__ import annotations

import pytest

from harness.meaning import printed
from harness.small import migrated, reasons

MANAGER = """\
import contextlib
import pickle


def phases(prefix):
    @contextlib.{decorator}
    def phase(name):
        yield prefix + name

    return phase


load = phases("run ")
print(pickle.loads(pickle.dumps(load))("load"))
"""


@pytest.mark.parametrize("decorator", ["contextmanager", "asynccontextmanager"])
def test_a_context_manager_moves_with_its_decorator(decorator: str) -> None:
    after = migrated({"a.py": MANAGER.format(decorator=decorator)}, "lambdas")["a.py"]
    assert f"@contextlib.{decorator}\ndef _phases_phase(prefix, name):" in after
    assert "return functools.partial(_phases_phase, prefix)" in after


def test_a_context_manager_works_as_before() -> None:
    text = MANAGER.format(decorator="contextmanager").split("print(")[0]
    text += 'pickle.dumps(load)\nwith load("a") as name, load("b") as other:\n    print(name, other)\n'
    assert printed(migrated({"a.py": text}, "lambdas")["a.py"]) == "run a run b\n"


def test_a_decorator_that_keeps_results_stays() -> None:
    (reason,) = reasons(
        {
            "a.py": MANAGER.format(decorator="contextmanager")
            .replace("contextlib.contextmanager", "functools.cache")
            .replace("contextlib", "functools")
        },
        "lambdas",
    )
    assert "may do more than wrap it" in reason


BRANCHES = """\
import pickle


def make(kind):
    try:
        factor = float(kind)
    except ValueError:
        scale = None
    {block}
        def scale(x):
            return x * factor
    {rest}
    return scale


pickle.dumps(make("2"))
print(make("3")(2))
"""


@pytest.mark.parametrize(("block", "rest", "moves"), [("else:", "", True), ("finally:", "", False)])
def test_what_the_try_before_its_else_binds(block: str, rest: str, moves: bool) -> None:
    text = BRANCHES.format(block=block, rest=rest)
    if moves:
        after = migrated({"a.py": text}, "lambdas")["a.py"]
        assert "scale = functools.partial(_make_scale, factor)" in after and printed(after) == "6.0\n"
    else:
        assert "`factor` may be unbound" in reasons({"a.py": text}, "lambdas")[0]


BOUND = """\
import pickle
import types


class Env:
    def reward(self, action):
        return action


def shaped(env, bonus):
    env.reward = types.MethodType(lambda self, action: bonus - action, env)
    return env


pickle.dumps(shaped(Env(), 2))
"""


def test_a_method_of_one_object_at_module_level() -> None:
    text = BOUND.replace("def shaped(env, bonus):\n    env.reward", "env = Env()\nenv.reward").replace("bonus", "2")
    text = text.replace("    return env\n", "").replace("shaped(Env(), 2)", "env")
    (reason,) = reasons({"a.py": text}, "lambdas")
    assert reason.startswith("`types.MethodType` (line 11) binds it to one object")


def test_a_method_of_one_object_says_what_pickle_misses() -> None:
    (reason,) = reasons({"a.py": BOUND}, "lambdas")
    assert reason.startswith("`types.MethodType` (line 11) binds it to one object, and pickle looks for such a method")


BOUND_LATER = """
import types
from multiprocessing import Process


class Runner:
    step = None


def make(width):
    def step(self, x):
        return BODY

    return step


def bind(runner, function):
    runner.step = BOUND


def main():
    runner = Runner()
    bind(runner, make(2))
    Process(target=print, args=(runner,)).start()


if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize("body", ["x", "x + width"])
@pytest.mark.parametrize(
    ("bound", "what"),
    [("types.MethodType(function, runner)", "types.MethodType"), ("function.__get__(runner)", "__get__")],
)
def test_a_method_that_other_code_makes_of_it(bound: str, what: str, body: str) -> None:
    (reason,) = reasons({"a.py": BOUND_LATER.replace("BOUND", bound).replace("BODY", body)}, "lambdas")
    assert reason.startswith(f"`{what}` (line 18) binds it to one object, and pickle looks for such a method")


MEMBERS = """
import functools
from enum import Enum
from multiprocessing import Process


class Step(Enum):
    HALF = VALUE


def main():
    Process(target=print, args=(Step.HALF, Step.HALF.value)).start()


if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize("value", ["functools.partial(lambda x: x / 2)", "functools.partial(print, lambda x: x / 2)"])
def test_the_value_of_a_member_is_equal_to_itself_alone(value: str) -> None:
    (reason,) = reasons({"a.py": MEMBERS.replace("VALUE", value)}, "lambdas")
    assert reason.startswith(
        "`Step` is an Enum: a member is pickled by its value, and no other `functools.partial(...)`"
    )
    assert "(_step_half,)" in migrated({"a.py": MEMBERS.replace("VALUE", "(lambda x: x / 2,)")}, "lambdas")["a.py"]
    plain = MEMBERS.replace("Enum)", "object)").replace("VALUE", value)
    assert "partial(" in migrated({"a.py": plain}, "lambdas")["a.py"]
