"""unpicklable-attributes: attributes of a `threading.local` that are set before what keeps its holder is sent."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import migrated, reasons

RULE = "unpicklable-attributes"
PROGRAM = """\
import threading
from multiprocessing import Process


class Context:
    def __init__(self):
        self.store = threading.local()

    def set(self, value):
        self.store.x = value

    def begin(self):
        self.set(1)

    def get(self):
        return self.store.x


class Model:
    def __init__(self, context):
        self.context = context
METHODS

def work(model):
    INSIDE
    print(model.context.get())


FUNCTIONS


if __name__ == "__main__":
    context = Context()
    BODY
"""
PREPARE = "\n    def prepare(self):\n        self.context.set(2)\n"
RUN = "\n    def run(self):\n        self.context.set(4)\n        print(self.context.get())\n"
EARLY = "def early(model):\n    model.context.set(3)"
SEND = "Process(target=work, args=(model,)).start()"


def program(body: str, inside: str = "pass") -> dict[str, str]:
    """A program that does `body`, with the method and the function that it names; the process does `inside` first."""
    methods = (PREPARE if "prepare" in body else "") + (RUN if "model.run" in body else "")
    text = PROGRAM.replace("METHODS", methods).replace("FUNCTIONS", EARLY if "early" in body else "")
    return {"main.py": text.replace("INSIDE", inside).replace("BODY", "\n    ".join(body.split("; ")))}


@each_row(
    "body",
    [
        "context.set(3); Process(target=print, args=(context,)).start()",
        f"context.set(3); model = Model(context); {SEND}",
        f"model = Model(context); context.set(3); {SEND}",
        f"model = Model(context); context.begin(); {SEND}",
        f"model = Model(context); model.context.set(3); {SEND}",
        f"model = Model(context); model.prepare(); {SEND}",
        f"model = Model(context); early(model); {SEND}",
        "model = Model(context); p = Process(target=work, args=(model,)); context.set(3); p.start(); p.join()",
        "models = []; models.append(Model(context)); context.set(3); Process(target=print, args=(models,)).start()",
    ],
)
def test_refused(body: str) -> None:
    (reason,) = reasons(program(body), RULE)
    assert "sets an attribute on it, which a new one would not have" in reason


@each_row(
    ("body", "inside"),
    [
        (f"model = Model(context); {SEND}", "model.context.set(3)"),
        (f"model = Model(context); {SEND}; context.set(3)", "pass"),
        (
            "model = Model(context); p = Process(target=work, args=(model,)); p.start(); context.set(3); p.join()",
            "pass",
        ),
        ("Process(target=print, args=(context,)).start(); context.set(3)", "pass"),
        ("model = Model(context); Process(target=model.run).start()", "pass"),
        ("Process(target=context.set, args=(3,)).start()", "pass"),
        ("Process(target=Context().begin).start(); print(context)", "pass"),
    ],
)
def test_set_in_the_process_or_after(body: str, inside: str) -> None:
    after = migrated(program(body, inside), RULE)["main.py"]
    assert "self.store = threading.local()" in after.partition("__setstate__")[2]
