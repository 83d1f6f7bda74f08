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


@each_row(
    ("filled", "top", "late", "after"),
    [
        (PACKAGE, "", "import plugins", True),
        (PACKAGE, "", "import plugins.sub", True),
        (PACKAGE, "", "from plugins import sub", True),
        (PACKAGE, "", "from plugins.sub import SIZE", True),
        (PACKAGE, "", "from plugins.deep.er import SIZE", True),
        (PACKAGE, "import plugins", "import plugins.sub", False),  # it is filled before
        (PACKAGE, "", "import other", False),
        (PACKAGE, "", "pass", False),
        (MODULE, "", "import fill", True),
        (MODULE, "", "from fill import TABLE", True),
        (MODULE, "import fill", "import fill", False),
        (MODULE, "import fill", "pass", False),
        (MODULE, "", "import plugins.fill", False),
        (PART, "", "import plugins.sub", True),
        (PART, "", "from plugins import sub", True),
        (PART, "", "from plugins.sub import SIZE", True),
        (PART, "", "import plugins", False),
        (PART, "", "from plugins.deep.er import SIZE", False),
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
