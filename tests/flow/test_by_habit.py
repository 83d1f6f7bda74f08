"""What is given to classes that are not in sight: by the name of the argument they keep it, or may as well call it."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.marks import crossing, marked

GIVEN = """
from clouds.data import Clouds, Pairs
from torch.utils.data import DataLoader

def main(config, root):
    def make(width=3):  {make}
        return width * config.scale

    def scaled(points):  {scaled}
        return points * config.scale

    data = {data}
    return DataLoader(data, num_workers=config.workers)
"""


def _mark(confidence: str) -> str:
    return f"# {confidence}" if confidence else ""


@each_row(
    ("data", "make", "scaled"),
    [
        ("Clouds(root, network_function=make)", "possible", ""),
        ("Clouds(root, network_function=[make])", "possible", ""),
        ("Clouds(root, transform=scaled)", "", "likely"),
        ("Clouds(root, point_transform=scaled, network=make)", "possible", "likely"),
        ("Clouds(root, fn=scaled)", "", "likely"),
        ("Clouds(root, model_fn=scaled)", "", "possible"),
        ("Clouds(root, scaled)", "", "likely"),
        ("Clouds(root, lambda: config.scale)  # possible", "", ""),
        ("Clouds(root, transform=lambda: config.scale)  # possible", "", ""),
        ("Pairs(Clouds(root, network=make), collate_fn=scaled)", "possible", "likely"),
    ],
)
def test_a_class_that_is_not_in_sight(data: str, make: str, scaled: str) -> None:
    files = {"train.py": GIVEN.format(data=data, make=_mark(make), scaled=_mark(scaled))}
    assert crossing(files) == marked(files)


WORDS = """
    transform transforms tform tfm tfms preprocess preprocessing preprocessor postprocess process processing processor
    augment augmentation augmentations augmentor aug augs normalize normalise tokenize tokenizer collate collater
    collator filter map mapper loader reader read open decode parse parser encode callable key valid pipeline worker
"""


@each_row("word", [*WORDS.split(), "fn", "func", "function"])
def test_the_words_of_what_is_called_for_each_item(word: str) -> None:
    def found(argument: str, confidence: str) -> bool:
        data = f"Clouds(root, {argument}=scaled)"
        files = {"train.py": GIVEN.format(data=data, make="", scaled=f"# {confidence}")}
        return crossing(files) == marked(files)

    assert found(word, "likely") and found(f"{word.upper()}_2", "likely")
    assert found(f"x{word}", "possible")  # a part of a word says nothing
    plain = word in ("fn", "func", "function")
    assert found(f"network_{word}", "possible" if plain else "likely")


KNOWN = """
from types import SimpleNamespace
from addict import Dict
from torch.utils.data import DataLoader, Subset
from torchvision.datasets import ImageFolder
from elsewhere import Given

class Fix:
    def __init__(self, fix):
        self.fix = fix

given = Given()
given.network = lambda: 1  # proven
DataLoader([SimpleNamespace(network=lambda: 1)], num_workers=2)  # proven
DataLoader([Dict(network=lambda: 1)], num_workers=2)  # proven
DataLoader(Subset(ImageFolder("a", lambda x: x), [1]), num_workers=2)  # proven
DataLoader([Given(network=Fix(lambda: 1))], num_workers=2)  # likely
DataLoader(given, num_workers=2)
"""


def test_what_is_known_to_keep_things() -> None:
    files = {"train.py": KNOWN}
    assert crossing(files) == marked(files)


OWN = """
from {library} import Dataset{loader}

class Pairs(Dataset):
    def __init__(self, rows, **options):
        super().__init__(rows, **options)

def main(rows, longest):
    data = Pairs(rows, filter_pred=lambda row: len(row) < longest)  # {confidence}
    {last}
"""


@pytest.mark.parametrize(
    ("library", "loader", "confidence"),
    [
        ("torchtext.data", "", "possible"),
        ("torchtext.legacy.data", "", "possible"),
        ("mmengine.dataset", "", "likely"),
        ("torchtext.data", "DataLoader", "proven"),
    ],
)
def test_a_dataset_of_torchtext_is_sent_by_a_loader_of_torch_only(library: str, loader: str, confidence: str) -> None:
    line = "\nfrom torch.utils.data import DataLoader" if loader else ""
    last = "return DataLoader(data, num_workers=2)" if loader else "return data"
    files = {"a.py": OWN.format(library=library, loader=line, confidence=confidence, last=last)}
    assert crossing(files) == marked(files)


ROWS = """
from torch.utils.data import Dataset

class Rows(Dataset):
    def __init__(self, scale):
        self.scaled = lambda row: row * scale  # {confidence}
"""
LOADERS = """
from multiprocessing import get_context
from torch.utils.data import DataLoader

def load(make, config):
    DataLoader(make(), num_workers=config.workers{first})
    DataLoader(make(), num_workers=config.workers{second})
"""


@each_row(
    ("first", "second", "tested", "confidence"),
    [
        (", multiprocessing_context=get_context('fork')", ", multiprocessing_context='fork'", "", "possible"),
        (", multiprocessing_context='fork'", ", multiprocessing_context=get_context('spawn')", "", "likely"),
        (", multiprocessing_context='fork'", "", "", "likely"),
        (", multiprocessing_context='fork'", ", **config.more", "", "likely"),
        (", multiprocessing_context='fork'", ", multiprocessing_context='fork'", ", timeout=9", "possible"),
        ("", "", ", multiprocessing_context='fork'", "likely"),
    ],
)
def test_a_dataset_where_every_loader_forks(first: str, second: str, tested: str, confidence: str) -> None:
    files = {"rows.py": ROWS.format(confidence=confidence), "load.py": LOADERS.format(first=first, second=second)}
    tests = {"tests/test_load.py": LOADERS.format(first=tested, second=tested)} if tested else {}
    assert crossing(files | tests) == marked(files)


def test_a_dataset_where_no_loader_is_seen_but_in_tests() -> None:
    fork = ", multiprocessing_context='fork'"
    files = {"rows.py": ROWS.format(confidence="likely"), "tests/test_a.py": LOADERS.format(first=fork, second=fork)}
    assert crossing(files) == marked(files)
