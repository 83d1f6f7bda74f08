"""A text that no row matches: the nearest one is asked about, and of what has nothing to do with processes none."""

from __future__ import annotations

from codemods.diagnose.causes import cause_of
from codemods.diagnose.explain import unknown_error
from codemods.diagnose.families import prose_families
from codemods.diagnose.nearest import _index, described_by, nearest_family
from codemods.diagnose.tracebacks import read_log
from harness.each_row import each_row


@each_row(
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


@each_row(
    "text",
    [
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied (3x4 and 5x6)",
        "loss is nan after two epochs of training with batch size 3",
        "FileNotFoundError: [Errno 2] No such file or directory: 'data/train.csv'",
        "RuntimeError: CUDA out of memory. Tried to allocate 1.31 GiB (GPU 0; 11.78 GiB total capacity)",
        "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:1",
        "RuntimeError: Error(s) in loading state_dict for Net: size mismatch for fc.weight",
        "OMP: Error #15: Initializing libiomp5md.dll, but found libiomp5md.dll already initialized.",
        "AttributeError: 'Namespace' object has no attribute 'local_rank'",
        "TypeError: only size-1 arrays can be converted to Python scalars",
        "error: command 'gcc' failed with exit status 1",
        "RuntimeError: CUDA driver initialization failed, you might not have a CUDA gpu.",
        "",
    ],
)
def test_what_is_something_else_gets_no_question(text: str) -> None:
    assert cause_of(text) is None and nearest_family(text) is None


def test_words_of_every_error_say_nothing() -> None:
    common = """
        name type with that this from have were been when what must such device devices file directory argument
        option options local driver multiprocessing expected command failed exit status cannot space left converted
        python error
    """
    for word in common.split():
        assert word not in _index()[1], word
    assert {"collective", "descriptors", "timeout"} <= {*_index()[1]}


def test_a_long_text_has_something_of_every_row() -> None:
    long = " ".join(word * 5 for word in "abcdefghijklmnopqrstuvwxyz") + " " + "collective operation timeout rank " * 9
    assert nearest_family("collective operation timeout rank") is not None
    words = " ".join(f"{a}{b}word" for a in "abcdefghij" for b in "abcdefghij")
    assert nearest_family(f"{long} {words}") is None


CLUSTER = "cluster-without-guard"
DESCRIBED = [
    ("gunicorn with preload: the model never answers, the workers just hang in predict", "server-forks"),
    ("from dask.distributed import Client\nc = Client(n_workers=4)\nIt prints the header over and over", CLUSTER),
    ("gunicorn --workers 3 --preload stops answering: the request is stuck until WORKER TIMEOUT", "server-forks"),
    ("torchrun on two nodes waits for ever: the head node's ip is printed as 127.0.1.1", "head-node-is-localhost"),
    ("With num_workers=4 the loop hangs after some batches, with 0 it is fine", "workers-hang"),
    ("Pool(8).map(f, rows) is stuck for ever, no message", "workers-hang"),
    ("num_workers 大于 0 的时候程序就卡住了", "workers-hang"),
    ("Training with torchrun on 4 GPUs freezes at the first step", "ranks-hang"),
    ("With DDP the training randomly stops after validation, without an error", "ranks-hang"),
    ("多卡训练的时候卡死,单卡正常", "ranks-hang"),
    ("two machines, --nnodes=2, both wait a minute and stop: connection timed out", "ranks-time-out"),
    ("The index of my search library cannot be pickled, so DataLoader workers don't work for me", "not-pickled"),
    ("pool.map gives me that it can not pickle the cursor object, with multiprocessing", "not-pickled"),
    ("self.db does not seem picklable. Is there a way with num_workers=2?", "not-pickled"),
    ("RAM usage keeps growing with num_workers=8 until the machine swaps", "memory-grows"),
    ("The loader is much slower with num_workers=8 than with 0", "workers-slow"),
    ("Running on local URL:  http://127.0.0.1:7860\nRunning on local URL:  http://127.0.0.1:7861", "served-twice"),
    ("built with pyinstaller, my Pool opens new windows of the program until I kill it", "frozen-again"),
    ("The exe of pyinstaller keeps starting itself again as soon as mp.Process(target=job) is reached", "frozen-again"),
    ("The pyinstaller binary starts many times:\nmultiprocessing.freeze_support()", "frozen-again-though-asked"),
    ("frozen app on macOS with a Pool: after quitting, copies of the app keep running", "frozen-again"),
    (
        "SharedMemory(name=n, create=False), then close(): when that program ends, the block is gone",
        "shared-memory-vanishes",
    ),
    ("On the Mac the script complains about pickling as soon as it uses more than one core", "pickling-in-words"),
    ("Python 3.14: PicklingError when the worker processes start, with 3.13 it ran", "pickling-in-words"),
    ("On Windows the script fails as soon as num_workers is not 0, on Linux it is fine", "started-otherwise"),
    ("As of Python 3.8 the start method on macos is spawn, and multiprocessing use crashes", "started-otherwise"),
    ("我在 Windows 下 num_workers>0 就无法启动", "started-otherwise"),
    ("pyinstaller: it keeps launching processes when I use multiprocessing.shared_memory", "frozen-again"),
    ("I ran the example on Windows and it spawned hundreds of python processes", "started-again"),
    ("With Pool(8) on Windows the script prints everything 8 times", "started-again"),
    ("My global dict is empty inside of pool.map on Windows, on Linux it has its values", "globals-of-workers"),
    ("How to use a Pool in a jupyter notebook on Windows? The cell hangs forever", "pool-of-a-notebook"),
    ("给dataloader设置num_worker就会出bug", "only-with-workers"),
    ("Process(target=work).start() in Spyder: nothing is printed", "console-shows-nothing"),
    ("if __name__ == '__main__': Process(target=f).start()\nmy print runs twice", "started-again-though-guarded"),
    ("with n_process=2 the script doesn't terminate", "workers-hang"),
    (
        "srun python fit.py\nGLOBAL_RANK: 1, MEMBER: 2/8\nGLOBAL_RANK: 1, MEMBER: 2/8\nand there it hangs",
        "ranks-counted-twice",
    ),
    ("pool.map is slower than a plain loop", "workers-slow"),
    ("Random crops are identical in each DataLoader worker", "random-alike"),
    ("Log messages of the worker processes do not appear in the log file on a mac", "logs-of-workers"),
    ("With DDP all ranks allocate some memory on GPU 0", "memory-of-the-first-gpu"),
    ("After Ctrl+C the worker processes are still running and hold the GPU", "left-over-processes"),
    ("CUDA_VISIBLE_DEVICES set by os.environ has no effect in the spawned process", "visible-devices-late"),
    ("With num_workers=4 I get a double free, without it the data is loaded", "only-with-workers"),
    ("DataLoader 设置 num_workers 就会报错", "only-with-workers"),
]


@each_row(("text", "family"), DESCRIBED)
def test_a_description_without_an_error_is_asked_about(text: str, family: str) -> None:
    log = read_log(text)
    found = described_by(text)
    assert log.main is None and found is not None and found.family == family
    said = unknown_error(text, log)
    assert f"Is it this? {found.cause}: {found.next}" in said


def test_every_row_of_descriptions_has_a_text() -> None:
    assert {row.family for row in prose_families()} == {family for _, family in DESCRIBED}
    assert all(row.reference.startswith("https://") for row in prose_families())


def test_an_error_comes_before_a_description() -> None:
    text = "With num_workers=4 it hangs, and then\n\nValueError: too many dimensions 'str'\n"
    assert "Is it this?" not in unknown_error(text, read_log(text))


@each_row(
    "text",
    [
        "Which num_workers should I take for one GPU and a batch of 16?",
        "The page of the dataset hangs in my browser, can you upload it to another server?",
        "With DDP on 4 GPUs the loss is nan after three epochs, on one GPU it is fine.",
        "I can not pickle the model to a file, and what is the difference to a checkpoint?",
        "Can DataLoader workers read a pickled data set faster than a csv?",
        "import dask.distributed as d\nif __name__ == '__main__':\n    c = d.Client()\nThe dashboard hangs",
        "训练速度很慢,num_workers 设置多少合适?",
        "x" * 30_000 + " num_workers hangs",
    ],
)
def test_what_is_no_hang_of_processes_is_not_described(text: str) -> None:
    assert described_by(text) is None
