"""Objects that a function gives to each of its callers: the main process changes them, workers make their own."""

from __future__ import annotations

from harness.each_row import each_row
from harness.main_changes import is_reported, program
from harness.small import reported

MADE = """\
@functools.lru_cache()
def settings():
    return {"size": 1, "rows": [], "name": "a"}

@functools.cache
def options():
    return {"size": 1}

@functools.wraps(print)
def wrapped():
    return {"size": 1}

class Config:
    instance = None
    def __init__(self):
        self.size = 1
        self.rows = []
    @classmethod
    def get(cls):
        if cls.instance is None:
            cls.instance = cls()
        return cls.instance
    @classmethod
    def make(cls):
        return cls()
    def first(self):
        return self.instance

class One:
    kept = None
    def __new__(cls):
        if cls.kept is None:
            cls.kept = super().__new__(cls)
        return cls.kept

class ByName:
    kept = None
    def __new__(cls):
        if ByName.kept is None:
            ByName.kept = object.__new__(cls)
        return ByName.kept

class Anew:
    def __new__(cls):
        return object.__new__(cls)

class Odd:
    def __new__(cls):
        cls.kept = 3

class Sometimes:
    kept = None
    def __new__(cls):
        if cls.kept is None:
            return object.__new__(cls)
        return cls.kept

class Shared:
    state = {}
    def __init__(self):
        self.size = 1
        self.__dict__ = self.state

class Apart:
    def __init__(self):
        self.__dict__ = {}

class Other:
    def __init__(self):
        self.rows = Config.rows

current = None
def the():
    global current
    if current is None:
        current = Config()
    return current

def sometimes(flag=0):
    global current
    if flag:
        return Config()
    return current

def nothing():
    global current
    current = 3

def fresh():
    return {"size": 1}"""
SIZE = "settings()['size']"


@each_row(
    ("read", "change", "found"),
    [
        (SIZE, "settings()['size'] = 7", True),
        (SIZE, "settings()['size'] += 7", True),
        (SIZE, "del settings()['size']", True),
        (SIZE, "conf = settings()\nconf['size'] = 7", True),
        (SIZE, "conf = kept = settings()\nkept['size'] = 7", True),
        (SIZE, "conf, n = settings(), 3\nconf['size'] = 7", True),
        ("settings()['rows']", "settings()['rows'].append(7)", True),
        ("settings()['rows']", "settings()['rows'].count(7)", False),
        (SIZE, "settings()['name'] = 'b'", False),
        (SIZE, "options()['size'] = 7", False),
        (SIZE, "settings(3)['size'] = 7", False),
        (SIZE, "print(settings()['size'])", False),
        (SIZE, "conf = settings()\nconf = {}\nconf['size'] = 7", False),
        (SIZE, "conf, n = {}, settings()\nconf['size'] = 7", False),
        ("x", "settings()['size'] = 7", False),
        ("options()['size']", "options()['size'] = 7", True),
        ("wrapped()['size']", "wrapped()['size'] = 7", False),
        ("fresh()['size']", "fresh()['size'] = 7", False),  # another object each time
        ("Config.get().size", "Config.get().size = 7", True),
        ("Config.get().rows", "Config.get().rows.append(7)", True),
        ("Config.get().size", "Config.get().name = 7", False),
        ("Config.make().size", "Config.make().size = 7", False),
        ("Config.first().size", "Config.first().size = 7", False),
        ("Config().size", "Config.get().size = 7", False),
        ("Config().size", "Config().size = 7", False),
        ("One().size", "One().size = 7", True),
        ("One().size", "one = One()\none.size = 7", True),
        ("ByName().size", "ByName().size = 7", True),
        ("Anew().size", "Anew().size = 7", False),
        ("Odd().size", "Odd().size = 7", False),
        ("Sometimes().size", "Sometimes().size = 7", False),
        ("Shared().size", "Shared().size = 7", True),
        ("Apart().size", "Apart().size = 7", False),
        ("Other().size", "Other().size = 7", False),
        ("the().size", "the().size = 7", True),
        ("sometimes().size", "sometimes().size = 7", False),
        ("nothing().size", "nothing().size = 7", False),
    ],
)
def test_what_callers_share(read: str, change: str, found: bool) -> None:
    text = program(MADE, read, change)
    told = reported({"train.py": text}, "main-guard")
    line = text[: text.index("def main")].count("\n") + 2 + change.count("\n")
    assert [each.trace[0].line for each in told] == [line] * found
    assert all(f"`{read.partition('(')[0].rpartition('.')[2]}()`" in (each.reason or "") for each in told)


@each_row(
    ("before", "found"),
    [
        ("conf = settings()", True),
        ("conf = settings()\n    conf = {}", False),
        ("conf = {}", False),
        ("conf = settings()\n    settings()['size'] = x", False),  # it sets that itself
    ],
)
def test_by_a_variable_of_the_worker(before: str, found: bool) -> None:
    made = f"{MADE}\ndef look(x):\n    {before}\n    return conf['size']"
    assert is_reported(made, "look(x)", "settings()['size'] = 7") is found


def test_under_the_guard_itself() -> None:
    assert not is_reported(MADE, SIZE, "pass", after="settings()['size'] = 7")
    text = program(MADE, SIZE, "pass").replace("    main()\n", "    settings()['size'] = 7\n    main()\n")
    assert [each.trace[0].line for each in reported({"train.py": text}, "main-guard")] == [text.count("\n") - 1]
