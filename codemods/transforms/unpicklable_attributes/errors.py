"""The errors that this rule's hazards end in."""

from __future__ import annotations

from ...known_error import TYPE_IN_ERROR, KnownError

_MADE_BY = (  # what the line of a finding looks like, by the type that the error names
    (
        r"lock|RLock|Condition|Event|Queue|Semaphore",
        r"Lock|Condition|Event|Queue|Semaphore|Logger|Handler|Writer|Executor|tqdm|Popen|Timer",
    ),
    (r"TextIO|Buffered|FileIO|file", r"\bopen\(|Logger|Handler|stdout|stderr|ZipFile|TarFile|GzipFile|memmap|\bload\("),
    (r"h5py", r"h5py|File\("),
    (r"Environment|Transaction|Cursor", r"lmdb|\.begin\(|\.open\("),
    (r"generator", r"\bfor\b|glob|iter|scandir|parameters\("),
    (r"weakref|KeyedRef|ReferenceType", r"weakref|\bref\("),
    (r"Connection|sqlite", r"connect|sqlite"),
)
_LIST_OR_IN_WORKER = "store a list of it when it is finite, else make it in the worker"

ERRORS = (
    KnownError(
        r"can(?:not|'t) (?:pickle|serialize) '?(?:_io\.)?(?P<type>_thread\.RLock|TextIOWrapper)'?",
        "a lock or file is stored on something that is sent to a worker; in Python 3.6 and older every logger has one",
        "look at what is sent (the arguments of the process, the data set): a session, client or lock stays out of it; "
        "get a logger (self.logger) by its name where it is used, or drop it in __getstate__; Python 3.7 and newer "
        "pickle loggers by name",
        family="old-logger",
        context=r"[/\\]python3\.[3-6][/\\]|[/\\]Python3[3-6][/\\]|process\.py\", line 105, in start",
        source=((r"lock|RLock|TextIO", r"[Ll]ogger"),),
    ),
    KnownError(
        r"(?P<type>h5py)(?: objects?)? (?:cannot|can't) be (?:pickled|serialized)",
        "an open HDF5 file is stored on something that is sent to a worker",
        "keep the path, and open the file in the worker when it is first read",
        examples=("TypeError: h5py objects cannot be pickled",),
        source=_MADE_BY,
    ),
    KnownError(
        r"can(?:not|'t) (?:pickle|serialize) '?(?P<type>module)'?",
        "a module is reached through an object of the test run (pytest, unittest), and that is part of what is sent to "
        "a new process",
        "give the process a target from the top of a module, with plain arguments: no method of the test class, no "
        "function that uses `self` or a fixture; or start it by fork in the tests: multiprocessing.get_context('fork')",
        family="test-object",
        context=r"when serializing (?:_pytest|unittest)\.",
        source=_MADE_BY,
    ),
    KnownError(
        r"can(?:not|'t) (?:pickle|serialize) '?(?P<type>module)'?",
        "a module is stored as a value on something that is sent to a worker",
        "import it where it is used",
        examples=("TypeError: cannot pickle 'module' object",),
        source=_MADE_BY,
    ),
    KnownError(
        r"can(?:not|'t) (?:pickle|serialize) '?(?P<type>(?:async_)?generator)'?",
        "a generator is stored on something that is sent to a worker",
        _LIST_OR_IN_WORKER
        + "; for Keras a Sequence (PyDataset) in place of the generator, or use_multiprocessing=False",
        examples=("TypeError: cannot pickle 'async_generator' object",),
        source=_MADE_BY,
    ),
    KnownError(
        r"can(?:not|'t) pickle '?(?P<type>itertools\.\w+)'?",
        "an iterator of itertools, which Python 3.14 can't pickle any more, is stored on something sent to a worker",
        _LIST_OR_IN_WORKER,
        examples=("TypeError: cannot pickle 'itertools.count' object",),
        source=_MADE_BY,
    ),
    KnownError(
        r"can(?:not|'t) (?:pickle|serialize) '?(?P<type>weakref(?:\.ReferenceType)?|weakproxy|KeyedRef)'?\b",
        "a weak reference is stored on something that is sent to a worker: on an object, or on what that refers to",
        "drop it in __getstate__ of its class, and make it anew in __setstate__; Lightning's ddp_spawn pickles model, "
        'data and trainer with all that they refer to: strategy="ddp" does not',
        examples=("TypeError: cannot pickle 'weakref' object",),
        source=_MADE_BY,
    ),
    KnownError(
        rf"can(?:not|'t) (?:pickle|serialize) (?:'?{TYPE_IN_ERROR}'?(?: object| instance)"
        r"|'?(?:_io|_?thread)\.(?P<type2>\w+))",
        "a lock, file, handle, client or another object that belongs to this process (also one of a compiled library) "
        "is part of something that is sent to a worker: an attribute, an argument, or a variable that a function uses",
        "make it in the worker, when it is first used, and send what it is made from (a path, an address). Where an "
        "object has it as an attribute: drop it in __getstate__, make it anew in __setstate__; where a function takes "
        "it along (a closure, a global of the main script or a notebook, an argument of partial): make it inside the "
        "function, or put both into a module that workers import; of data, store plain values (a NumPy array, a list)",
        examples=("TypeError: cannot pickle '_thread.lock' object",),
        general=True,
        source=_MADE_BY,
    ),
    KnownError(  # Python 2: a class that pickle takes for a built-in one
        r"Can't pickle <type '(?P<type>(?!function|instancemethod)[\w.]+)'>: (?:it's not found as|attribute lookup)",
        "a lock, file, handle or client, which belongs to this process, is stored on something that is sent to "
        "a worker",
        "make it in the worker, when it is first used; where an object has it as an attribute, drop it in __getstate__",
        examples=("PicklingError: Can't pickle <type 'Environment'>: it's not found as __builtin__.Environment",),
        source=_MADE_BY,
    ),
    KnownError(
        r"self\.(?P<type>[\w.]+) cannot be converted to a Python object for pickling|no default __reduce__ due to"
        r"|ctypes objects containing pointers cannot be pickled",
        "an object of a compiled library is stored on something that is sent to a worker",
        "make it in the worker, from what it is made from (a path, parameters): when it is first used, or by an "
        "initializer; where an object has it as an attribute, drop it in __getstate__",
        examples=("no default __reduce__ due to non-trivial __cinit__",),
        source=_MADE_BY,
    ),
)
