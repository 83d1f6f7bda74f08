"""New names at module level: nothing that looks for names finds one there that it did not find before."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import migrated, reasons, reported

CROSSES = """\
import multiprocessing
import nets


def work(f):
    print(f(1))


{more}
if __name__ == '__main__':
    multiprocessing.Process(target=work, args=(nets.make(),)).start()
"""
NESTED = "def make():\n    def collate(batch):\n        return batch\n    return collate\n"


def files(more: str, nets: str = NESTED) -> dict[str, str]:
    return {"train.py": CROSSES.replace("{more}", more), "nets.py": nets}


def test_refused_where_a_loop_over_the_module_would_find_it() -> None:
    more = "names = sorted(n for n in nets.__dict__ if n.islower() and callable(nets.__dict__[n]))\n"
    (reason,) = reasons(files(more), "lambdas")
    assert reason.startswith("`nets.__dict__` (train.py:9) goes through all names of nets.py, and would find `_make_")


def test_a_name_that_the_loop_leaves_out() -> None:
    more = "names = [n for n in dir(nets) if not n.startswith('_')]\n"
    assert "\ndef _make_collate(batch):" in "\n" + migrated(files(more), "lambdas")["nets.py"]


def test_imports_are_names_too() -> None:
    nets = "def make(n=1):\n    size = n\n    return lambda x: x + size\n"
    more = "names = [n for n in dir(nets) if not n.startswith('_')]\n"
    (reason,) = reasons(files(more, nets), "lambdas")
    assert "would find `functools` there too" in reason


def test_own_name_only_where_nobody_asks_for_it() -> None:
    assert "def collate(batch):" in migrated(files(""), "lambdas")["nets.py"]
    for more in (
        "try:\n    from nets import collate\nexcept ImportError:\n    collate = None\n",
        "has = hasattr(nets, 'collate')\n",
    ):
        assert "\ndef _make_collate(batch):" in "\n" + migrated(files(more), "lambdas")["nets.py"]
    asked = NESTED + "def find(name):\n    return globals().get(name, make)\n"
    assert "\ndef _make_collate(batch):" in "\n" + migrated(files("", asked), "lambdas")["nets.py"]


def test_name_of_a_lambda_that_is_read() -> None:
    nets = "def make():\n    f = lambda batch: batch\n    print(f.__name__)\n    return f\n"
    assert migrated(files("", nets), "lambdas") == {}
    (finding,) = reported(files("", nets), "lambdas")
    assert finding.fix is not None
    assert finding.fix.unsafe == "its `__name__` is read (line 3), and it is `<lambda>` no more"
    assert migrated(files("", nets), "lambdas", unsafe_fixes=True)


def test_qualified_name_that_is_read() -> None:
    nets = NESTED.replace("    return collate", "    print(collate.__qualname__)\n    return collate")
    (finding,) = reported(files("", nets), "lambdas")
    assert finding.fix is not None
    assert finding.fix.unsafe is not None and "holds the name of the function around it no more" in finding.fix.unsafe


def test_a_longer_name_in_a_text_is_another() -> None:
    nets = (
        "class Net:\n    def __init__(self, size):\n        self.size = size\n"
        "        self.resize = lambda x: x * self.size\n\n\ndef make():\n    return Net(2)\n"
    )
    made = migrated(files("print(f'image_{1}_resize{2}.png', f'_resize{3}.png')\n", nets), "lambdas")["nets.py"]
    assert "self.resize = self._resize\n" in made
    made = migrated(files("print(getattr(nets.make(), '_resize', None))\n", nets), "lambdas")["nets.py"]
    assert "self.resize = self._resize\n" not in made


@each_row(
    ("composed", "name"),
    [
        ("setattr(nets.Net, '_res' + 'ize', print)", "_resize_2"),
        ("setattr(nets.make(), f'_resize_{len(nets.SIZES)}', print)", "_resize"),
        ("getattr(nets.make(), f'_res{nets.SIZES[0]}', print)(1)", ""),
        ("getattr(nets.make(), '_res%s' % nets.SIZES[0], print)(1)", ""),
        ("getattr(nets.make(), '_' + nets.SIZES[0], print)(1)", "_resize"),
        ("getattr(nets.make(), f'{nets.SIZES[0]}ize', print)(1)", "_resize"),
    ],
)
def test_names_that_code_puts_together(composed: str, name: str) -> None:
    nets = (
        "SIZES = ['ize']\n\n\nclass Net:\n    def __init__(self, size):\n        self.size = size\n"
        "        self.resize = lambda x: x * self.size\n\n\ndef make():\n    return Net(2)\n"
    )
    if name:
        assert f"self.resize = self.{name}\n" in migrated(files(composed + "\n", nets), "lambdas")["nets.py"]
    else:
        (reason,) = reasons(files(composed + "\n", nets), "lambdas")
        assert "(train.py:9) puts names together, and may find `_resize`" in reason
