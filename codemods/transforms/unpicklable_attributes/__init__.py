r"""Locks, open files, database handles and the like that are kept on objects which are pickled: `self.lock = Lock()`.

## What it finds
Attributes that hold what pickle refuses: locks and the rest of `threading`, queues, executors and pools, log handlers
(and loggers, where the repository declares a Python older than 3.7), open files, HDF5, LMDB, SQLite, zip, tar and npz
handles, memory maps, videos, clients of databases and clouds, `SummaryWriter`, generators, `map` and `filter` of
a lambda or local function, functions with an `lru_cache`, weak references, modules.
They are found behind aliases, local names, conditions, in lists and dicts (also
when these are filled later), in the fields of dataclasses, behind `@cached_property`, in what a helper function
returns, and where a script passes them to a class (through `**kwargs`, `super().__init__(...)`, a table of classes or a
registry too) or sets them on its objects. Objects of a class that derives from such a thing, like a `Thread`, are such
things. A lock of `multiprocessing` counts where its context is another than that of the processes that get it. What
`__getitem__` opens in the worker, what a `__getstate__` already leaves out, and attributes of the class itself are no
hazard. Iterators of `itertools` are only reported, as `possible`: they can't be pickled from Python 3.14 on.

Objects of installed packages often hide what can't be pickled: the environment inside a `torchvision.datasets.LSUN`,
the C++ object of a TorchScript module, the session of ONNX Runtime, the lock in a client, a console or a file lock,
a geometry of Open3D. Some eighty of them are known, nearly all tried with the version that the table names; the message
says which attribute of the object it is. What is sent by itself is reported too: an open file or a lock among the
arguments of a `Process`, a `SummaryWriter` in a `partial` or in the options of a program (`args.writer = ...`), a
generator that a `ChainDataset` of a loader keeps.

Objects that can be pickled, but not unpickled, are found too: pickle asks the empty copy for `__setstate__`, and a
`__getattr__` that reads an attribute there calls itself without end. (So does one that gives None or a generator for
every name, or raises KeyError.) It gets two lines that raise AttributeError for what pickle asks for.

## Why it breaks
Under spawn and forkserver the dataset is pickled for every worker of a `DataLoader`, and an object whose method goes to
a `Pool` is pickled with each task. Training stops with

```text
TypeError: h5py objects cannot be pickled
TypeError: cannot pickle '_thread.lock' object
TypeError: cannot pickle 'Environment' object
```

although the worker would be better off with a handle of its own: HDF5, LMDB and SQLite handles that were opened before
a fork must not be used after it either. (This rule does not look for that; what it writes helps there only when the
start method is not fork.)

## Example
```python
import sqlite3
import threading
from multiprocessing import Pool


class Captions:
    def __init__(self, database):
        self.lock = threading.Lock()
        self.conn = sqlite3.connect(database)

    def caption(self, image):
        with self.lock:
            return self.conn.execute("SELECT text FROM captions WHERE image = ?", (image,)).fetchone()


if __name__ == "__main__":
    captions = Captions("captions.db")
    with Pool(2) as pool:
        print(pool.map(captions.caption, [3, 4, 5]))
```

## Use instead
```python
import sqlite3
import threading
from multiprocessing import Pool


class Captions:
    def __init__(self, database):
        self.lock = threading.Lock()
        self.database = database
        self.conn = sqlite3.connect(database)

    def __getstate__(self):
        state = self.__dict__.copy()
        # what can't be pickled; __setstate__ makes it anew
        del state["lock"]
        del state["conn"]
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.lock = threading.Lock()
        self.conn = sqlite3.connect(self.database)

    def caption(self, image):
        with self.lock:
            return self.conn.execute("SELECT text FROM captions WHERE image = ?", (image,)).fetchone()


if __name__ == "__main__":
    captions = Captions("captions.db")
    with Pool(2) as pool:
        print(pool.map(captions.caption, [3, 4, 5]))
```

Why state methods and not a lazy property: they leave every line that uses the handle as it is (lengths read in
`__init__` too), a worker opens it once, on arrival, and a missing file is reported at once. Where the class opens its
handle on demand already (`if self.env is None:`), the copy just gets None.

## Fix safety
The copy makes the attribute with the same expression, so that must mean the same there: constants, names of the module,
other attributes that are not set again; arguments of the constructor are kept as attributes. So is what a function of
the repository returns for an argument (`readahead=not distributed()`): it is called once. Statements that set it up
right after (`row_factory`, `setFormatter`) are repeated. A handle that may be None or closed is only opened where the
original is open; a file that is read piece by piece goes on where it was. A dict or list that the constructor fills in
a loop is filled again by that loop, a cache that is filled on demand begins empty. A handle that is closed when the
object crosses is closed in the copy, and None where nobody looks at it. An iterator over a `DataLoader` begins anew
where that neither shuffles nor has workers. What is opened in one branch of the constructor only is opened again where
the attribute that the branch asks (`if self.readonly:`) says so; what the other branch sets travels as it did, or can
be pickled as little as before. An npz archive that only the constructor takes arrays out of is left out. A
logger (before Python 3.7) is asked for by its name: the module's, where it has one. State
methods that are there already are extended or called.

It is refused where a new one would not be the same: open for writing, read from, filled or set up through another name,
passed to the constructor and so shared, added to a logger with each task of a pool, created in different ways, a
database in memory, passed on to another object, compared with that of another object, kept elsewhere by a property, a
lock that may be taken when a process starts and that is asked for without waiting; and where the state is not a plain
dict (`__reduce__`, `__slots__` with a `__dict__` or a class below, an unusual `__getstate__`, another dict set as
`self.__dict__`), or the class is local to a function. It is unsafe (only with `--unsafe-fixes`) below a base class that
is not in the repository and may have state methods of its own, and for generators and `map`, which become lists.

An attribute that an object does not have, its copy does not have either. Where `copy.copy` is seen to copy an object of
the class, a `__copy__` goes along: that copy goes on sharing the lock or handle. It is refused where code outside the
class sets the attribute, closes or moves the handle before the object crosses, and where another
attribute would show in what is read from `vars(self)` or `vars(x)`. Where a logger gets the handler, its level,
filters and `propagate` are set again in the copy too.

Where a program that uses the class goes to another folder (`os.chdir`), the absolute path is kept; where it removes
files, a file that was closed is not opened again in the copy, and one that was removed or replaced after it was opened
is refused. So is an object whose `__del__` does more than close its own things: a copy in a worker would do that too,
in `lambdas` and `dict-views` as well. Processes that an object starts with a method of its own, and keeps, are
reported: each start pickles those before it. A factory that prints or counts is not called again: the
copy makes the object itself, or the fix is refused. It is refused where `copy.copy` or pickle would handle the items of
a dict or list subclass before the attribute is there. Where code tries to pickle or copy the object and goes another
way when that fails, the fix is unsafe; so it is in `lambdas` and `dict-views`.

A class that has a reducer (`copyreg.pickle(Reader, reduced)`, `ForkingPickler.register`) crosses as that says, and gets
no methods. It is refused as well where code asks whether a class has a state method (`hasattr(x, "__setstate__")`,
`"__getstate__" in type(x).__dict__`), or takes what `__getstate__` gives (`sorted(self.__getstate__())`): that would go
another way, or miss what is left out.

`copy.deepcopy` goes through the state methods: copies get a lock or handle of their own. (LMDB refuses to open one
environment twice in a process.) In the copy an event is set where the original is, a queue has the same items, a lock
or semaphore is free, and each process with a `SummaryWriter` adds an event file to the folder. Code outside the
repository is not seen.

## References
- [What can be pickled](https://docs.python.org/3/library/pickle.html#what-can-be-pickled-and-unpickled) and
  [handling stateful objects](https://docs.python.org/3/library/pickle.html#handling-stateful-objects)
- [h5py objects cannot be pickled](https://github.com/h5py/h5py/issues/1512)
- [LMDB and DataLoader workers](https://github.com/pytorch/vision/issues/689)
- [SQLite: do not carry a connection across a fork](https://www.sqlite.org/howtocorrupt.html)
"""

from __future__ import annotations

from ...rule import Rule, found_by
from .errors import ERRORS
from .screen import ID, SCREEN

RULE = Rule(
    id=ID,
    summary="Make locks, open files and database handles anew in each process instead of pickling them",
    screen=SCREEN,
    find=found_by(__name__),
    documentation=__doc__,
    errors=ERRORS,
    follows_values=True,
)
