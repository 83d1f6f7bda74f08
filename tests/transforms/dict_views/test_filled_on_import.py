"""dict-views: a file that fills the dict as it is imported, by the script or by whatever imports its package."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import reported

SCRIPT = """\
from multiprocessing import Process
from tables import TABLE
{top}

class Rows:
    def __init__(self):
        self.names = TABLE.keys()

def work(rows):
    print(list(rows.names))

def main():
    rows = Rows()
    {late}
    Process(target=work, args=(rows,)).start()

if __name__ == "__main__":
    main()
"""
FILES = {
    "tables.py": "TABLE = {}\n",
    "other.py": "SIZE = 2\n",
    "plugins/__init__.py": "",
    "plugins/sub.py": "SIZE = 1\n",
    "plugins/deep/__init__.py": "",
    "plugins/deep/er.py": "SIZE = 1\n",
}
PACKAGE, MODULE, PART = "plugins/__init__.py", "fill.py", "plugins/sub.py"


RUNS = {  # an import: which of the files it runs
    "import plugins": (PACKAGE,),
    "import plugins.sub": (PACKAGE, PART),
    "from plugins import sub": (PACKAGE, PART),
    "from plugins.sub import SIZE": (PACKAGE, PART),
    "from plugins.deep.er import SIZE": (PACKAGE,),
    "import fill": (MODULE,),
    "from fill import TABLE": (MODULE,),
    "import other": (),
    "pass": (),
}


@each_row(
    ("filled", "top", "late", "after"),
    [
        *((filled, "", late, filled in run) for late, run in RUNS.items() for filled in (PACKAGE, MODULE, PART)),
        (PACKAGE, "import plugins", "import plugins.sub", False),  # it is filled before
        (MODULE, "import fill", "import fill", False),
        (MODULE, "import fill", "pass", False),
        (MODULE, "", "import plugins.fill", False),  # another file
    ],
)
def test_what_fills_the_dict_after_the_view_is_taken(filled: str, top: str, late: str, after: bool) -> None:
    files = {**FILES, filled: "from tables import TABLE\nTABLE['a'] = 1\n"}
    (finding,) = reported({**files, "train.py": SCRIPT.format(top=top, late=late)}, "dict-views")
    assert finding.fix is not None
    assert (f"{filled}:2 sets an item" in (finding.fix.unsafe or "")) is after
    tests = {
        **files,
        "test_train.py": SCRIPT.format(top="", late="pass"),
        "tests/test_late.py": f"def test():\n    {late}\n",
    }
    (finding,) = reported({**tests, "train.py": SCRIPT.format(top=top, late="pass")}, "dict-views", exclude=("test_*",))
    assert finding.fix is not None and finding.fix.unsafe is None  # tests do not count
