"""Objects of one class are one value: where the first thing that holds them stays, another may still cross."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.marks import crossing, marked

OWN = """
class Compose:
    def __init__(self, steps):
        self.steps = steps

    def __call__(self, image):
        for step in self.steps:
            image = step(image)
        return image

class Apply:
    def __init__(self, function):
        self.function = function

    def __call__(self, image):
        return self.function(image)

class Jitter:
    def __init__(self, most):
        self.most = most

    def chosen(self):
        steps = []
        if self.most > 0:
            steps.append(Apply(lambda image: image * 2))  # possible
        return Compose(steps)

    def __call__(self, image):
        return self.chosen()(image)

class Rows:
    def __init__(self, split, transform):
        self.split, self.transform = split, transform
"""
TRAIN = """
import torch
from torch.utils.data import DataLoader
from own import Apply, Compose, Jitter, Rows

def main():
    train = DataLoader(Rows("train", Compose([Jitter(0.4)])), num_workers=2)
    changed = Compose([Jitter(0), Apply(lambda crops: torch.stack(crops))])  # {cropped}
    test = DataLoader({rows}, num_workers=2)
    return train, test, changed
"""
OTHERS = {
    "crosses": ("Rows('test', changed)", "proven"),
    "stays": ("Rows('test', Compose([Jitter(0)]))", "possible"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_the_other_list_that_holds_objects_of_a_class(name: str) -> None:
    rows, cropped = OTHERS[name]
    files = {"own.py": OWN, "train.py": TRAIN.format(rows=rows, cropped=cropped)}
    assert crossing(files) == marked(files)


BUILT = """
from torch.utils.data import DataLoader
from own import Apply, Compose

def scaled(factor):
    steps = []
    steps.append(Apply(lambda image: image * factor))  # proven
    return Compose(steps)

def shifted(by):
    steps = []
    steps.append(Apply(lambda image: image + by))  # {shifted}
    return Compose(steps)

class Rows:
    def __init__(self, transform):
        self.transform = transform

    def __getitem__(self, index):
        return shifted(index)(self.transform(index))

def main():
    loader = DataLoader(Rows({given}), num_workers=2)
    return [shifted(1)(row) for row in loader]
"""


@pytest.mark.parametrize(
    ("given", "confidence"),
    [
        ("scaled(2)", "possible"),  # another list, of another Compose
        ("Compose([scaled(2), shifted(1)])", "proven"),
    ],
)
def test_each_list_and_each_object_that_holds_it(given: str, confidence: str) -> None:
    files = {"own.py": OWN, "train.py": BUILT.format(given=given, shifted=confidence)}
    assert crossing(files) == marked(files)


REGISTRY = """
from torch.utils.data import DataLoader

class Registry:
    def __init__(self):
        self.kept = {}

    def register(self, made):
        self.kept[made.__name__] = made
        return made

    def get(self, name):
        return self.kept[name]

DATASETS, RUNNERS = Registry(), Registry()

@DATASETS.register
class Rows:
    def __init__(self):
        self.read = lambda index: index  # proven

    def __getitem__(self, index):
        return self.read(index)

@RUNNERS.register
class Runner:
    def __init__(self):
        self.each = lambda row: row  # possible

    def run(self, loader):
        return [self.each(row) for row in loader]

def build(name):
    return DATASETS.get(name)()

def main(name, runner):
    RUNNERS.get(runner)().run(DataLoader(build(name), num_workers=2))

if __name__ == "__main__":
    main("rows", "runner")
"""


def test_of_what_registries_hold_a_loader_gets_what_gives_samples() -> None:
    files = {"train.py": REGISTRY}
    assert crossing(files) == marked(files)


STEPS = """
from torch.utils.data import DataLoader

class Registry:
    def __init__(self):
        self.kept = {}

    def add(self, name, made):
        self.kept[name] = made

    def register(self, given=None):
        if given is None:
            def decorate(made):
                self.add(made.__name__, made)
                return made
            return decorate
        self.add(given.__name__, given)

    def get(self, name):
        return self.kept.get(name)

STEPS, RUNNERS = Registry(), Registry()

@STEPS.register()
class Scale:
    def __init__(self):
        self.by = lambda item: item * 2  # proven

    def __call__(self, item):
        return self.by(item)

class Runner:
    def __init__(self):
        self.each = lambda row: row  # CONFIDENCE

    def run(self, loader):
        return [self.each(row) for row in loader]

REGISTERED

class Rows:
    def __init__(self, steps):
        self.steps = steps

    def __getitem__(self, index):
        return index

def build(names):
    return Rows([STEPS.get(name)() for name in names])

def main(names, runner):
    RUNNERS.get(runner)().run(DataLoader(build(names), num_workers=2))

if __name__ == "__main__":
    main(["Scale"], "Runner")
"""


@each_row(
    ("registered", "confidence"),
    [
        ("RUNNERS.register()(Runner)", "possible"),
        ("RUNNERS.register(Runner)", "possible"),
        ("RUNNERS.register(Runner)\nSTEPS.register(Runner)", "proven"),
        ("for each in (RUNNERS, STEPS):\n    each.register(Runner)", "proven"),
    ],
)
def test_each_registry_gives_what_it_was_given(registered: str, confidence: str) -> None:
    files = {"train.py": STEPS.replace("REGISTERED", registered).replace("CONFIDENCE", confidence)}
    assert crossing(files) == marked(files)


# What a registry gives is called by its users: functions, with arguments, and by a subscript.
MAKERS = """
from torch.utils.data import DataLoader

class Registry:
    def __init__(self):
        self.kept = {}

    def register(self, name):
        def decorate(made):
            self.kept[name] = made
            return made
        return decorate

    def __getitem__(self, name):
        return self.kept[name]

    def get(self, name):
        return self.kept[name]

STEPS, OPTIMIZERS = Registry(), Registry()

@STEPS.register("scale")
def scale(by=None):
    return Scale(by)

class Scale:
    def __init__(self, by):
        self.by = by

@STEPS.register("add")
class Add:
    def __init__(self, by=None):
        self.by = by

class Chain:
    def __init__(self, wanted):
        self.wanted = wanted

@REGISTERED.register("chain")
def chain(of):
    return Chain(lambda item: item in of)  # RESULT

class Rows:
    def __init__(self, steps):
        self.steps = steps

    def __getitem__(self, index):
        return index

def steps(given):
    return [STEPS[name](**options) for name, options in given.items()]

def optimizer(name, of):
    return OPTIMIZERS.get(name)(of)

def main(given):
    optimizer("chain", lambda item: item)  # ARGUMENT
    for row in DataLoader(Rows(steps(given)), num_workers=2):
        print(row)

if __name__ == "__main__":
    main({"scale": {}, "add": {}})
"""


@pytest.mark.parametrize(
    ("registered", "result", "argument"), [("OPTIMIZERS", "possible", "possible"), ("STEPS", "proven", "possible")]
)
def test_each_registry_calls_what_it_was_given(registered: str, result: str, argument: str) -> None:
    script = MAKERS.replace("REGISTERED", registered).replace("RESULT", result).replace("ARGUMENT", argument)
    files = {"train.py": script}
    assert crossing(files) == marked(files)


KINDS = """
from torch.utils.data import DataLoader, Dataset
from torchtext.data import BucketIterator

class Images(Dataset):
    def __init__(self, transform):
        self.transform = transform

    def __getitem__(self, at):
        return self.transform(at)

class Batches(BASE):
    def __init__(self, key):
        self.key = key

    def METHOD(self, *at):
        yield self.key(at)

def images():
    return Images(lambda row: row)  # proven

def texts():
    return Batches(lambda row: len(row))  # CONFIDENCE

TABLE = {"images": images, "texts": texts}

def main(kind):
    rows = TABLE[kind]()
    for row in DataLoader(rows, num_workers=4) if kind != "texts" else rows:
        print(row)
"""


@each_row(
    ("base", "method", "confidence"),
    [
        ("BucketIterator", "__iter__", "possible"),
        ("object", "__iter__", "possible"),
        ("object", "__getitem__", "proven"),
        ("BucketIterator", "__getitem__", "proven"),
        ("Dataset", "__iter__", "proven"),
    ],
)
def test_what_is_a_loader_itself_goes_to_none_where_datasets_do(base: str, method: str, confidence: str) -> None:
    script = KINDS.replace("BASE", base).replace("METHOD", method).replace("CONFIDENCE", confidence)
    files = {"train.py": script}
    assert crossing(files) == marked(files)


PASSED = """
from torch.utils.data import DataLoader, Dataset

class Registry:
    def __init__(self):
        self.known = {{}}

    def get(self, key):
        return self.known.get(key)

    def register(self, kind):
        self.known[kind.__name__] = kind
        return kind

TRANSFORMS, DATASETS, LOSSES = Registry(), Registry(), Registry()

def build(config, registry, **more):
    made = registry.get(config["name"])
    return made(**more)

def outer(config, known, **more):
    return build(config, known, **more)

@TRANSFORMS.register
def crop(size):
    return lambda row: row[:size]  # likely

@LOSSES.register
def focal(gamma=2):
    return lambda output: output * gamma  # possible

@DATASETS.register
class Rows(Dataset):
    def __init__(self, transform):
        self.transform = transform

    def __getitem__(self, index):
        return self.transform(index)

def main(config):
    loss = {call}(config["loss"], LOSSES)
    transform = {call}(config["transform"], TRANSFORMS, size=config["size"])
    rows = {call}(config["rows"], DATASETS, transform=transform)
    for row in DataLoader(rows, num_workers=2):
        print(loss(row))
"""


@pytest.mark.parametrize("call", ["build", "outer"])
def test_a_function_builds_from_the_registry_that_its_call_passes(call: str) -> None:
    files = {"train.py": PASSED.format(call=call)}
    assert crossing(files) == marked(files)


def test_many_classes_of_a_library_leave_room_for_functions_of_the_repository() -> None:
    known = "\nfrom torch import nn\n\nfor number in range(1, 30):\n    LOSSES.register([{}][number])\n"
    classes = ", ".join(f"nn.Loss{number}" for number in range(30))
    text = PASSED.format(call="build").replace("\ndef build(", f"{known.format(classes)}\ndef build(")
    assert crossing({"train.py": text}) == marked({"train.py": text})
