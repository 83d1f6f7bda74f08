"""A text that no row matches: the nearest one is asked about, and of what has nothing to do with processes none."""

from __future__ import annotations

import pytest

from codemods.diagnose.causes import cause_of
from codemods.diagnose.nearest import nearest_family


@pytest.mark.parametrize(
    ("text", "family"),
    [
        ("shared memory object could not be opened", "shared-memory-gone"),
        ("too many file descriptors are open, ancdata", "open-files"),
        ("RuntimeError: collective operation on rank 3 had a timeout", "collective-timeout"),
        ("port 29500 address is already taken", "port-in-use-anywhere"),
        ("the process group was not initialized by default", "no-process-group"),
        ("OSError: resource temporarily exhausted, thread could not be created", "process-limit"),
    ],
)
def test_other_words_for_a_known_error_are_asked_about(text: str, family: str) -> None:
    assert cause_of(text) is None
    found = nearest_family(text)
    assert found is not None and found.family == family


@pytest.mark.parametrize(
    "text",
    [
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied (3x4 and 5x6)",
        "loss is nan after two epochs of training with batch size 3",
        "FileNotFoundError: [Errno 2] No such file or directory: 'data/train.csv'",
        "RuntimeError: CUDA out of memory. Tried to allocate 1.31 GiB (GPU 0; 11.78 GiB total capacity)",
        "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:1",
        "RuntimeError: Error(s) in loading state_dict for Net: size mismatch for fc.weight",
        "OMP: Error #15: Initializing libiomp5md.dll, but found libiomp5md.dll already initialized.",
        "ValueError: prefetch_factor option could only be specified in multiprocessing, let num_workers > 0",
        "AttributeError: 'Namespace' object has no attribute 'local_rank'",
        "RuntimeError: CUDA driver initialization failed, you might not have a CUDA gpu.",
        "",
    ],
)
def test_what_is_something_else_gets_no_question(text: str) -> None:
    assert cause_of(text) is None and nearest_family(text) is None


def test_a_long_text_has_something_of_every_row() -> None:
    long = " ".join(word * 5 for word in "abcdefghijklmnopqrstuvwxyz") + " " + "collective operation timeout rank " * 9
    assert nearest_family("collective operation timeout rank") is not None
    words = " ".join(f"{a}{b}word" for a in "abcdefghij" for b in "abcdefghij")
    assert nearest_family(f"{long} {words}") is None
