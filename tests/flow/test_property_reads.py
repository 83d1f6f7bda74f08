"""What a property gives belongs to the object whose property is read, also where classes keep different things."""

from __future__ import annotations

from harness.each_row import each_row
from harness.marks import crossing, marked

SETS = """
from torch.utils.data import DataLoader

class Digits:
    def __init__(self, fix):
        self.fix = fix

class Photos:
    def __init__(self, fix):
        self.fix = fix

class Base:
    @property
    def rows(self):
        return self._rows

    def loader(self):
        return DataLoader({sent}, num_workers=2)

class OfDigits(Base):
    def __init__(self):
        self._rows = Digits(lambda x: x)  # {digits}

class OfPhotos(Base):
    def __init__(self):
        self._rows = Photos(lambda x: x)  # {photos}

{made}
"""
CHOSEN = """
def build(name):
    return OfDigits() if name == "digits" else OfPhotos()

print(build("digits").loader())
"""
APART = """
print(OfPhotos().rows)
digits = OfDigits()
DataLoader(digits.rows, num_workers=2)
"""


@each_row(
    ("sent", "made", "digits", "photos"),
    [
        ("self._rows", CHOSEN, "proven", "proven"),
        ("self.rows", CHOSEN, "proven", "proven"),
        ("[]", APART, "proven", "possible"),
    ],
)
def test_which_objects_cross(sent: str, made: str, digits: str, photos: str) -> None:
    files = {"run.py": SETS.format(sent=sent, made=made, digits=digits, photos=photos)}
    assert crossing(files) == marked(files)
