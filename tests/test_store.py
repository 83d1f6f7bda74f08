"""Rows of the stores: what is kept is read back, on every Python."""

from __future__ import annotations

import pickle
from enum import Enum

import pytest

from codemods.finding import Confidence, Span
from codemods.store import packed, unpacked


class OldEnum(Enum):
    """As an enum of Python 3.11.0 to 3.11.3 is pickled: by a call of `getattr`."""

    ONE = "one"

    def __reduce_ex__(self, protocol: object) -> tuple[object, ...]:
        return getattr, (type(self), self.name)


def test_members_of_an_enum_are_read_back_whatever_the_python() -> None:
    assert unpacked(packed({"a": [OldEnum.ONE, Confidence.LIKELY]}), (OldEnum, Confidence)) == {
        "a": [OldEnum.ONE, Confidence.LIKELY]
    }
    assert b"getattr" in pickle.dumps(OldEnum.ONE)


def test_other_classes_are_not_read() -> None:
    with pytest.raises(pickle.UnpicklingError, match=r"codemods\.finding\.Span does not belong here"):
        unpacked(packed(Span(1, 2, 3, 4)), (Confidence,))
