"""Objects of one class are one value: where the first thing that holds them stays, another may still cross."""

from __future__ import annotations

import pytest

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
