"""The probe's counting of tensors, storages and large data: with a torch of three classes, so without its import."""

from __future__ import annotations

import io
import sys
import types
from typing import Any

import pytest

from codemods.diagnose import probe


class Tensor:
    """What the probe asks a tensor for."""

    def __init__(self, *shape: Any, dtype: str = "torch.float32", requires_grad: bool = False, **more: Any) -> None:
        self.shape, self.dtype, self.requires_grad = shape, dtype, requires_grad
        self.is_cuda, self.is_leaf = more.get("is_cuda", False), more.get("is_leaf", True)

    def nelement(self) -> int:
        total = 1
        for each in self.shape:
            total *= each
        return total

    def element_size(self) -> int:
        return 4

    def requires_grad_(self) -> Tensor:
        self.requires_grad = True
        return self


class Parameter(Tensor):
    def __init__(self, data: Tensor, requires_grad: bool = True) -> None:
        super().__init__(*data.shape, dtype=data.dtype, requires_grad=requires_grad)


class Masked(Tensor):
    """A class derived from Tensor."""


class Untyped:
    def nbytes(self) -> int:
        return 4096


class Old:
    def nbytes(self) -> int:
        raise RuntimeError("of a storage that is gone")


@pytest.fixture
def torch(monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    made: Any = types.ModuleType("torch")
    made.Tensor, made.nn = Tensor, types.SimpleNamespace(Parameter=Parameter)
    made.storage = types.SimpleNamespace(UntypedStorage=Untyped, _StorageBase=Old)
    made.float32 = "torch.float32"
    made.zeros = lambda shape, dtype: Tensor(*shape, dtype=dtype)
    monkeypatch.setitem(sys.modules, "torch", made)
    return made


@pytest.mark.parametrize(
    ("make", "size", "shared", "stand_in", "note"),
    [
        (lambda: Tensor(2, 3), 300, 24, ("tensor", [2, 3], "float32", False, False), None),
        (lambda: Tensor(), 300, 4, ("tensor", [], "float32", False, False), None),
        (lambda: Tensor(2, requires_grad=True), 300, 8, ("tensor", [2], "float32", False, True), None),
        (lambda: Parameter(Tensor(5)), 300, 20, ("tensor", [5], "float32", True, True), None),
        (lambda: Parameter(Tensor(5), False), 300, 20, ("tensor", [5], "float32", True, False), None),
        (lambda: Masked(4), 300, 16, None, None),
        (lambda: Tensor(None), 300, 0, None, None),
        (
            lambda: Tensor(2, is_cuda=True),
            300,
            0,
            ("tensor", [2], "float32", False, False),
            "a tensor on the GPU: the process that made it must outlive the workers",
        ),
        (Untyped, 200, 4096, None, None),
        (Old, 200, 0, None, None),
    ],
    ids=["plain", "scalar", "leaf", "parameter", "frozen", "derived", "odd", "gpu", "storage", "storage that is gone"],
)
def test_what_a_tensor_counts(
    torch: types.ModuleType, make: Any, size: int, shared: int, stand_in: object, note: str | None
) -> None:
    found = probe._leaf(make())
    assert found is not None
    assert (found.bytes, found.shared, found.stand_in, found.note) == (size, shared, stand_in, note)


def test_a_tensor_with_its_history(torch: types.ModuleType) -> None:
    made = Tensor(2, requires_grad=True, is_leaf=False)
    result, _ = probe.examine({"loss": made}, "x", children=False)
    (row,) = result["problems"]
    assert row["path"] == "x['loss']"
    assert row["error"].startswith("RuntimeError: Cowardly refusing to serialize non-leaf tensor which requires_grad")
    assert probe.examine([Tensor(2, is_leaf=False)], "x", children=False)[0]["picklable"]


@pytest.mark.parametrize("many", [False, True], ids=["few", "many"])
def test_tensors_of_an_object_are_added_up(torch: types.ModuleType, many: bool) -> None:
    rows: list[object] = [Tensor(1000), Parameter(Tensor(10)), Masked(5)]
    before = [*range(probe.SOME)] if many else []
    result, _ = probe.examine([*before, *rows], "x", children=False)
    assert (result["picklable"], result["shared_bytes"]) == (True, 4060)
    assert 900 <= result["payload_bytes"] < 1500
    gpu = [*before, Tensor(1, is_cuda=True)]
    result, _ = probe.examine({"rows": gpu}, "x", children=False)
    assert len(result["notes"]) == 1 and result["notes"][0].endswith("must outlive the workers")
    assert result["notes"][0].startswith("x['rows']")


@pytest.mark.parametrize(
    ("rest", "kind", "shape", "grad"),
    [
        (([2, 3], "float32", False, False), Tensor, (2, 3), False),
        (([2], "float32", False, True), Tensor, (2,), True),
        (([2], "float32", True, True), Parameter, (2,), True),
        (([2], "float32", True, False), Parameter, (2,), False),
    ],
)
def test_stand_ins_of_tensors(
    torch: types.ModuleType, rest: tuple[Any, ...], kind: type, shape: tuple[int, ...], grad: bool
) -> None:
    made = probe._stand_in("tensor", rest)
    assert (type(made), made.shape, made.dtype, made.requires_grad) == (kind, shape, "torch.float32", grad)


def test_what_is_sent_holds_no_data(torch: types.ModuleType) -> None:
    file = io.BytesIO()
    probe._Send(file).dump({"tensor": Tensor(50_000), "text": b"x" * probe.LARGE, "n": 3})
    assert len(file.getvalue()) < 500
    back = probe._Receive(io.BytesIO(file.getvalue())).load()
    assert (back["tensor"].shape, back["text"], back["n"]) == ((50_000,), bytes(probe.LARGE), 3)
    with pytest.raises(probe.OutOfTime):  # no stand-in: only a real start could send it
        probe._Send(io.BytesIO()).dump([Masked(2)])


@pytest.mark.parametrize(
    ("size", "listed"),
    [(probe.NOTABLE // 4 - 1, []), (probe.NOTABLE // 4, [("x", 0, True), ("x[0]", 0, True)])],
)
def test_what_is_listed_by_its_shared_memory(torch: types.ModuleType, size: int, listed: list[Any]) -> None:
    _, look = probe.examine([Tensor(size)], "x", children=False)
    assert sorted((path, 0, moved >= probe.NOTABLE) for path, _, moved in look.payload) == listed
