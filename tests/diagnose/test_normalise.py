"""What people paste, taken apart: colours, entities, quotes, boxes, prefixes; the frames in all their forms."""

from __future__ import annotations

import pytest

from codemods.diagnose.command import decoded
from codemods.diagnose.frames import Frame, frame_of, quotes_code
from codemods.diagnose.normalise import plain_lines
from codemods.diagnose.tracebacks import read_traceback
from harness.each_row import each_row

PLAIN = """\
Traceback (most recent call last):
  File "/home/ada/train.py", line 7, in main
    loader.start()
AttributeError: Can't pickle local object 'main.<locals>.<lambda>'
"""


def _prefixed(prefix: str) -> str:
    return "".join(f"{prefix}{line}\n" for line in PLAIN.splitlines())


def test_punctuation_of_full_width_is_read_as_plain() -> None:
    assert plain_lines("TypeError\uff1ano pickle\uff08of a lambda\uff09")[0].text == "TypeError: no pickle(of a lambda)"
    quotes = "\u2018\u2019\u201a\u00b4\u2032 \u201c\u201d\u201e\u2033 a\u00a0b\u3000c\u200bd\ufeffe"
    assert plain_lines(f"Error: {quotes}")[0].text == "Error: ''''' \"\"\"\" a b cde"


def test_the_name_of_a_host_stands_on_every_line_of_its_process() -> None:
    """What stands behind it, source lines and the error too, is read as if it stood alone."""
    lines = plain_lines(_prefixed("node-a1.lan: ") + "disk1: full\n")
    assert [line.text for line in lines] == [*PLAIN.splitlines(), "disk1: full", ""]
    assert {line.stream for line in lines[:4]} == {"node-a1.lan"}


@each_row(
    "text",
    [
        pytest.param(PLAIN.replace("'", "\u2019"), id="curly quotes"),
        pytest.param(PLAIN.replace("Can't", "Can\u00b4t"), id="an accent for a quote"),
        pytest.param(PLAIN.replace("'", "&#39;").replace("<", "&lt;").replace(">", "&gt;"), id="entities"),
        pytest.param("<pre>" + PLAIN.replace("<", "&lt;").replace(" ", "&nbsp;") + "</pre>", id="a web page"),
        pytest.param(PLAIN.replace("AttributeError", "\x1b[1;31mAttributeError\x1b[0m"), id="colours"),
        pytest.param(PLAIN.replace("AttributeError", "[1;31mAttributeError[0m"), id="colours without escape"),
        pytest.param(_prefixed("> "), id="a quotation"),
        pytest.param(_prefixed("web_1  | "), id="docker compose"),
        pytest.param(_prefixed("trainer-0 [stderr] "), id="a runner"),
        pytest.param(_prefixed("[rank3]: "), id="a rank"),
        pytest.param(_prefixed("[default3]:"), id="torchrun --tee"),
        pytest.param(_prefixed("[1,3]<stderr>:"), id="mpirun"),
        pytest.param(_prefixed("[rank: 3] "), id="lightning"),
        pytest.param(_prefixed("[ada@10.0.0.7:22] out: "), id="fabric"),
        pytest.param(_prefixed("[pod/trainer-0/main] "), id="kubectl"),
        pytest.param(_prefixed("[2024-03-01 10:11:12,345: ERROR/ForkPoolWorker-2] "), id="celery"),
        pytest.param(_prefixed("Mar  1 10:11:12 host-7 docker[3241]: "), id="the system's journal"),
        pytest.param(_prefixed("[2024-03-01 10:11:12 -0400] "), id="a time zone behind a space"),
        pytest.param(_prefixed("(Worker pid=811, ip=10.0.0.1) "), id="ray"),
        pytest.param(_prefixed("E0422 05:07:49.013000 204 torch/distributed/elastic/api.py:732] "), id="glog"),
        pytest.param(
            _prefixed("(VllmWorkerProcess pid=3) ERROR 08-02 18:15:15 multiproc_worker_utils.py:226] "), id="vLLM"
        ),
        pytest.param(_prefixed("2024-03-01T10:11:12.123456789Z "), id="time stamps"),
        pytest.param(_prefixed("stderr: [rank3]: "), id="two prefixes"),
        pytest.param(_prefixed("3: ") + "3: more\n", id="srun --label"),
        pytest.param(PLAIN.replace("\n", "\r\n"), id="line ends of Windows"),
        pytest.param("epoch 1:  10%\repoch 1:  11%\r" + PLAIN, id="behind a progress bar"),
        pytest.param(
            PLAIN.replace("    loader.start()\n", "").replace("in main", "in main loader.start()"), id="one line"
        ),
        pytest.param(PLAIN.replace('"', ""), id="lost quotes"),
        pytest.param("\n".join(line.strip() for line in PLAIN.splitlines()), id="lost indentation"),
        pytest.param("{'log': \"" + PLAIN.replace("\n", "\\n") + '"}', id="a JSON log"),
        pytest.param(PLAIN.replace("Can't pickle", "cannot pickle"), id="another can't"),
        pytest.param(
            PLAIN.replace("<locals>.", "").replace("<lambda>", "").replace("main.", "main.."), id="lost names"
        ),
        pytest.param(PLAIN.replace(".<locals>.", ".<locals>. "), id="a broken name"),
    ],
)
def test_it_is_read_in_every_dress(text: str) -> None:
    read = read_traceback(text)
    assert read is not None
    assert (read.cause.rule, read.cause.name) == ("lambdas", "main.<locals>.<lambda>")
    assert [(frame.path, frame.line, frame.name) for frame in read.frames] == [("/home/ada/train.py", 7, "main")]


def test_powershell_writes_utf_16() -> None:
    for data in (PLAIN.encode("utf-16"), PLAIN.encode("utf-16-le"), b"\xfe\xff" + PLAIN.encode("utf-16-be")):
        read = read_traceback(decoded(data))
        assert read is not None and read.cause.rule == "lambdas"
    assert decoded(b"caf\xc3\xa9") == "caf\u00e9" and decoded(b"\xef\xbb\xbfa") == "a"


@each_row(
    ("line", "frame"),
    [
        ('  File "a b/c.py", line 3, in f', Frame("a b/c.py", 3, "f", True)),
        ('  File "/x/lib/python3.11/site-packages/torch/a.py", line 3, in f', Frame("", 3, "f", False)),
        (r'  File "C:\Python38\lib\multiprocessing\process.py", line 121, in start', Frame("", 121, "start", False)),
        ("File ~/code/train.py:12, in main(args)", Frame("~/code/train.py", 12, "main", True)),
        (r"File c:\Users\ada\train.py:150", Frame(r"c:\Users\ada\train.py", 150, "<module>", True)),
        ("/code/data.py:12 in __getitem__", Frame("/code/data.py", 12, "__getitem__", True)),
        ("tests/test_a.py:121: in test_start", Frame("tests/test_a.py", 121, "test_start", True)),
        ("loss: 0.3 in epoch 4", None),
    ],
)
def test_frames(line: str, frame: Frame | None) -> None:
    found = frame_of(line)
    if frame is None or found is None:
        assert found is frame
    else:
        assert (found.line, found.name, found.user) == (frame.line, frame.name, frame.user)
        assert frame.path in ("", found.path)


def test_an_old_notebook_has_the_number_below() -> None:
    text = "<ipython-input-3-f00> in train(loader)\n      1 def train(loader):\n----> 2     for x in loader:\n"
    first, _, rest = text.partition("\n")
    assert frame_of(first, lambda: rest) == Frame("<ipython-input-3-f00>", 2, "train", True)
    assert quotes_code("----> 2     for x in loader:") and not quotes_code("RuntimeError: 2 workers")


def test_a_frame_that_a_box_broke_is_one_line() -> None:
    text = "│ /home/ada/very/long/way/to/a/package/of/somebody/python3 │\n│ .10/data.py:47 in   │\n│ __init__      │\n"
    assert [line.text for line in plain_lines(text)][:1] == [
        "/home/ada/very/long/way/to/a/package/of/somebody/python3.10/data.py:47 in __init__"
    ]


@pytest.mark.parametrize(
    "text",
    [
        'File "/usr/lib/python3.8/multiprocessing/reduction.py", line 189,\nin recv_handle\nreturn recvfds(s, 1)[0]\n',
        'File "/usr/lib/python3.8/multiprocessing/reduction.py",\nline 189, in recv_handle\nreturn recvfds(s, 1)[0]\n',
        'File "/usr/lib/python3.8/multiproc\nessing/reduction.py", line 189, in recv_handle\nreturn recvfds(s, 1)[0]\n',
    ],
)
def test_a_frame_that_a_window_broke_is_one_line(text: str) -> None:
    lines = [line.text for line in plain_lines(text)]
    assert frame_of(lines[0]) == Frame("/usr/lib/python3.8/multiprocessing/reduction.py", 189, "recv_handle", False)
    assert lines[1] == "return recvfds(s, 1)[0]"


@each_row(
    "text",
    [
        'File "/usr/lib/python3.8/multiprocessing/reduction.py",\nwhich is of Python, in recv_handle\n',
        'File "/usr/lib/python3.8/multiproc\nand nothing more of it\n',
        'File "/usr/lib/python3.8/multiprocessing/reduction.py", line 189,\nwith no function\n',
        "/home/ada/very/long/way/to/a/package/of/somebody/python3\nThe next line of the log\n",
        "/home/ada/short/python3\n.10/data.py:47 in __init__\n",
    ],
)
def test_lines_that_do_not_go_together_stay_apart(text: str) -> None:
    assert [line.text for line in plain_lines(text)] == [*text.splitlines(), ""]


def test_streams_and_ranks_are_kept() -> None:
    lines = plain_lines("[rank1]: a\nweb_1  | b\nc\n")
    assert [(line.text, line.stream, line.rank) for line in lines[:3]] == [
        ("a", "rank 1", 1),
        ("b", "web_1", None),
        ("c", "", None),
    ]


def test_half_a_letter_of_utf_16_does_not_stop_it() -> None:
    for encoding in ("utf-16", "utf-16-le"):
        assert decoded(PLAIN.encode(encoding) + b"\x00").startswith(PLAIN)
