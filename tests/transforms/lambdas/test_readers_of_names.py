"""Who reads the name, the type or the text of functions, also where another function hands them over."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.small import migrated, reasons

TEXT = """\
import multiprocessing as mp


def title(step):
    return {title}


class Flow:
    def __init__(self, steps):
        self.steps = steps

    def __repr__(self):
        return " > ".join({titles})

    def run(self, queue):
        queue.put([step(1) for step in self.steps])


def main(limit):
    def top(x):
        return x * limit

    flow = Flow([top, lambda x: x - limit])
    process = mp.Process(target=flow.run, args=(mp.Queue(),))
    process.start()
    print(flow)
"""
EACH = ("map(title, self.steps)", "(title(step) for step in self.steps)")


@pytest.mark.parametrize("titles", EACH)
@pytest.mark.parametrize(
    "title", ["step.__name__", "getattr(step, '__name__', '?')", "step.__name__ if hasattr(step, '__name__') else '?'"]
)
def test_objects_that_have_the_name(title: str, titles: str) -> None:
    after = migrated({"train.py": TEXT.format(title=title, titles=titles)}, "lambdas")["train.py"]
    assert '__name__ = "top"' in after and '__name__ = "<lambda>"' in after


@pytest.mark.parametrize("titles", EACH)
@pytest.mark.parametrize(
    "title", ["type(step).__name__", "step.__qualname__", "repr(step).split()[0]", "str(step)[1:9]"]
)
def test_what_no_object_answers_as_a_function(title: str, titles: str) -> None:
    assert len(reasons({"train.py": TEXT.format(title=title, titles=titles)}, "lambdas")) == 2


@pytest.mark.parametrize("title", ["repr(step)", "str(step)", "str(len(self.steps))"])
def test_a_text_that_is_only_shown(title: str) -> None:
    assert (
        "functools.partial(" in migrated({"train.py": TEXT.format(title=title, titles=EACH[0])}, "lambdas")["train.py"]
    )


CLOSURE = """\
import asyncio
import dis
import inspect
import multiprocessing as mp


def describe(fn):
    return {asked}


def crop(height):
    def apply(rows):
        return rows[:height]

    return apply


def child(fn, queue):
    queue.put(fn("abc"))


def main():
    fn = crop(2)
    process = mp.Process(target=child, args=(fn, mp.Queue()))
    process.start()
    print(describe(fn))
"""


@each_row(
    "asked",
    [
        "inspect.getclosurevars(fn).nonlocals",
        "inspect.getcallargs(fn, 'abc')",
        "inspect.getfile(fn)",
        "inspect.getsourcefile(fn)",
        "inspect.getcomments(fn)",
        "inspect.getmodule(fn)",
        "inspect.get_annotations(fn)",
        "dis.dis(fn)",
        "[*dis.get_instructions(fn)]",
        "dis.code_info(fn)",
    ],
)
def test_what_takes_functions_only(asked: str) -> None:
    (reason,) = reasons({"train.py": CLOSURE.format(asked=asked)}, "lambdas")
    assert "looks at it (line 8), and a partial is no function" in reason


@pytest.mark.parametrize("read", ["fn.__doc__", "getattr(fn, '__doc__')", "fn.__doc__, fn.__name__"])
def test_the_text_of_a_function(read: str) -> None:
    program = CLOSURE.format(asked=read)
    assert "__doc__ = " not in migrated({"train.py": program}, "lambdas")["train.py"]
    before, after = "    return apply", '        """Crop."""\n        return'
    assert before in program
    program = program.replace("        return", after, 1)
    assert "    __doc__ = __call__.__doc__\n" in migrated({"train.py": program}, "lambdas")["train.py"]


@each_row(
    ("read", "advice"),
    [
        ("__annotations__", "make it a function of the module that gets the values as arguments"),
        ("__defaults__", "make it a function of the module that gets the values as arguments"),
        ("__code__", "ask `inspect.signature` there"),
        ("__module__", "use a class with `__call__`"),
    ],
)
def test_what_to_do_instead(read: str, advice: str) -> None:
    """A class with `__call__` helps only where its objects have the attribute."""
    by_name = CLOSURE.format(asked="1").replace("    return apply", f"    print(apply.{read})\n    return apply")
    for text in (CLOSURE.format(asked=f"fn.{read}"), by_name):
        (reason,) = reasons({"train.py": text}, "lambdas")
        assert f"`{'apply.' if 'apply.' in text else ''}{read}` is read" in reason and advice in reason


@each_row(
    "asked",
    [
        "inspect.signature(fn)",
        "inspect.isgeneratorfunction(fn)",
        "asyncio.iscoroutinefunction(fn)",
        "inspect.getclosurevars(describe)",
    ],
)
def test_what_knows_partials_too(asked: str) -> None:
    after = migrated({"train.py": CLOSURE.format(asked=asked)}, "lambdas")["train.py"]
    assert "functools.partial(_crop_apply, height=height)" in after or "functools.partial(_crop_apply, height)" in after


@pytest.mark.parametrize(
    ("asked", "refused"),
    [("inspect.getclosurevars(fn)", True), ("fn.__closure__", True), ("inspect.signature(fn)", False)],
)
def test_a_nested_function_that_another_one_names(asked: str, refused: bool) -> None:
    """At module level it is a global of the other one."""
    names_it = "    def first(rows):\n        return rows[:1]\n\n    def apply(rows):\n        return first(rows)"
    text = CLOSURE.format(asked=asked).replace("    def apply(rows):\n        return rows[:height]", names_it)
    if refused:
        assert "at module level it has no closure" in reasons({"train.py": text}, "lambdas")[0]
    else:
        assert "\n\n\ndef apply(" in migrated({"train.py": text}, "lambdas")["train.py"]


CALLER = """\
import multiprocessing as mp

import log


def build(power):
    def grow(x):
        return log.say(x**power)

    return [grow, lambda x: log.say(-x)]


def child(steps, queue):
    queue.put([step(2) for step in steps])


def main():
    steps = build(2)
    process = mp.Process(target=child, args=(steps, mp.Queue()))
    process.start()
"""


@each_row(
    "log",
    [
        "import sys\ndef say(text):\n    return sys._getframe(1).f_code.co_name, text",
        "import inspect\ndef say(text):\n    return inspect.stack()[1].function, text",
        "import inspect\ndef say(text):\n    return inspect.currentframe().f_back.f_code.co_name, text",
        "import sys\nsay = lambda text: (sys._getframe(1).f_code.co_name, text)",
        "import sys\ndef _caller():\n    return sys._getframe(2).f_code.co_name\ndef say(text):\n"
        "    return _caller(), text",
        "import sys\nclass Log:\n    def __call__(self, text):\n        return sys._getframe(1).f_code.co_name\n"
        "say = Log()",
        "import sys\ndef say(text):\n    return sys._getframe(1).f_lineno, sys._getframe(1).f_code.co_name, text",
        "import sys\ndef say(text):\n    frame = sys._getframe(1)\n    return frame.f_lineno, text",
        *(
            f"import tools\ndef say(text):\n    return tools.{word}(text)"
            for word in (
                *("co_name", "_getframe", "currentframe", "inspect.stack", "inspect.trace", "getframeinfo"),
                *("getouterframes", "getinnerframes", "extract_stack", "extract_tb", "StackSummary"),
            )
        ),
    ],
)
def test_a_function_of_another_file_reads_its_caller(log: str) -> None:
    found = reasons({"log.py": log, "train.py": CALLER}, "lambdas")
    assert len(found) == 2 and all("`log.say` (line " in reason for reason in found)
    assert all("may read the name of its caller (log.py:" in reason for reason in found)


@each_row(
    "log",
    [
        "def say(text):\n    return text",
        "import sys\ndef tell(text):\n    return sys._getframe(1).f_code.co_name, text\n"
        "def say(text):\n    return text",
        "import sys\nHERE = sys._getframe(0).f_code.co_name\ndef say(text):\n    return text",
        "import sys\ndef say(text):\n    line = sys._getframe().f_back.f_lineno\n"
        "    return sys._getframe().f_back.f_code.co_filename, line, text",
        "from inspect import currentframe, getframeinfo\ndef say(text):\n"
        "    return getframeinfo(currentframe().f_back).lineno, text",
    ],
)
def test_nobody_reads_its_caller(log: str) -> None:
    after = migrated({"log.py": log, "train.py": CALLER}, "lambdas")["train.py"]
    assert "functools.partial(" in after and "lambda" not in after


CAUGHT = """\
import multiprocessing as mp
import traceback

import steps
from report import tell


def child(step, queue):
    queue.put(step(2))


def main():
    step = steps.build(2)
    process = mp.Process(target=child, args=(step, mp.Queue()))
    process.start()
    try:
        step(0)
    except ZeroDivisionError as error:
        {handled}
"""
STEPS = "def build(power):\n    def grow(x):\n        return power / x\n\n    return grow\n"


@each_row(
    ("handled", "reason"),
    [
        ("print(traceback.extract_tb(error.__traceback__)[-1].name)", "of an error are read (main.py:19), and the f"),
        ("print(error.__traceback__.tb_next.tb_frame.f_code.co_name)", "of an error are read (main.py:19), and the f"),
        ("tell(error)", "`tell` (main.py:19) may read the names in the traceback of an error (report.py:5)"),
        ("traceback.print_exc()", ""),
        ("print(error.__traceback__.tb_next.tb_lineno)", ""),
    ],
)
def test_the_names_in_the_traceback_of_an_error(handled: str, reason: str) -> None:
    """A function of another file raises it, and the name of that becomes another."""
    report = "import traceback\n\n\ndef tell(error):\n    print(traceback.extract_tb(error.__traceback__)[-1].name)\n"
    files = {"main.py": CAUGHT.format(handled=handled), "steps.py": STEPS, "report.py": report}
    if reason:
        assert reason in reasons(files, "lambdas")[0]
    else:
        assert "functools.partial(" in migrated(files, "lambdas")["steps.py"]


METRIC = """\
import multiprocessing as mp


class Metric:
    ratio = staticmethod(lambda hit, n: hit / n)

    def __init__(self):
        self.scale = 2

    def all(self):
        {own}


class Other:
    size = 1


def run(fn, queue):
    queue.put(fn(1, 2))


def main():
    process = mp.Process(target=run, args=(Metric.ratio, mp.Queue()))
    process.start()
    {read}
"""


@each_row(
    ("own", "read", "unsafe"),
    [
        ("pass", "print([k for k, f in vars(Metric).items() if getattr(f, '__name__', '') == 'ratio'])", True),
        ("pass", "print([f.__func__.__name__ for f in Metric.__dict__.values() if hasattr(f, '__func__')])", True),
        ("return [f.__name__ for f in vars(type(self)).values() if callable(f)]", "pass", True),
        ("return [getattr(self, n).__name__ for n in dir(self) if callable(getattr(self, n))]", "pass", True),
        ("return [f.__name__ for f in vars(self).values()]", "pass", False),
        ("pass", "print([f.__name__ for f in vars(Other).values()])", False),
        ("pass", "print(sorted(vars(Metric)))", False),
    ],
)
def test_the_names_of_what_a_class_binds(own: str, read: str, unsafe: bool) -> None:
    files = {"main.py": METRIC.format(own=own, read=read)}
    assert bool(migrated(files, "lambdas")) is not unsafe
    assert "def ratio(hit, n):" in migrated(files, "lambdas", unsafe_fixes=True)["main.py"]
