"""Lambdas, nested functions and local classes that cross a process boundary get a name that pickle finds.

## What it finds
A lambda, a function defined inside a function, or a class defined inside a function that reaches another process: as
`collate_fn`, `worker_init_fn` or part of the dataset of a `DataLoader` with workers, as the target or an argument of a
`Process` or a `Pool`, in a webdataset pipeline, in what is pickled or saved. The trace says how it gets there. Sort
keys, `map` inside `list(...)`, what stays on a class, threads, and boundaries that use cloudpickle or dill (ray, dask,
joblib) are left alone. What `eval` makes of a text in a YAML file is followed too, and reported with the file, the line
and the key, and what it makes of the text of a lambda in the code. So is a function, a class or an object of a module
that the code loads by its path (`importlib.util.module_from_spec`) and does not register in `sys.modules`: it is
reported, and not rewritten. The same holds for a class that a call makes where pickle finds none of its name, and for
its objects: a `namedtuple` or `Enum` that is made in a function or a class body, or that is bound to another name than
its own.

## Why it breaks
Under spawn and forkserver everything a worker needs is pickled, and pickle stores a function as its name in a module. A
lambda or a nested function has none:

```text
AttributeError: Can't pickle local object 'build_loader.<locals>.<lambda>'
```

Linux with fork hides it; Windows, macOS, CUDA in workers, and Python 3.14 do not.

## Example
```python
from multiprocessing import Pool


class Scorer:
    def __init__(self, scale):
        self.scale = scale

    def run(self, rows, offset):
        with Pool(2) as pool:
            return pool.map(lambda row: sum(row) + offset, rows)

    def scaled(self, values):
        with Pool(2) as pool:
            return pool.map(lambda value: value * self.scale, values)


if __name__ == "__main__":
    scorer = Scorer(2)
    print(scorer.scaled(scorer.run([[1, 2], [3, 4]], 10)))
```

## Use instead
```python
import functools
from multiprocessing import Pool


def _run_map(offset, row):
    return sum(row) + offset


class Scorer:
    def __init__(self, scale):
        self.scale = scale

    def run(self, rows, offset):
        with Pool(2) as pool:
            return pool.map(functools.partial(_run_map, offset), rows)

    def scaled(self, values):
        with Pool(2) as pool:
            return pool.map(self._scaled_map, values)

    def _scaled_map(self, value):
        return value * self.scale


if __name__ == "__main__":
    scorer = Scorer(2)
    print(scorer.scaled(scorer.run([[1, 2], [3, 4]], 10)))
```

## Fix safety
Safe, except in loops. A function that reads nothing of the functions around it moves to module level, above the code
that makes it. Local variables that a function reads are passed with `functools.partial`, only when none of them is
bound again afterwards, so that the value taken there is what the closure would have seen. `self` makes it a method,
unless its objects carry a model, a loader, a dataset, a module or something else that can't be pickled and do more than
keep the function for themselves: then the attributes that it reads are passed, if nothing sets them again.

A lambda that a class body binds to a name becomes a function of the class, which pickle finds as `Class.name`.
A function of a module that its decorator replaces by a local wrapper is found by its name when the wrapper gets
`@functools.wraps(function)`: where all that the decorator replaces is only called or sent to workers. A decorator of a
nested function that keeps it on an object of a class of the repository, puts it in a table or gives it back is applied
where the function stood, `step = takes("path")(_step)`, so that it runs when and as often as it did.

Functions that use each other move together or not at all; several that are the same become one. A lambda that only
calls a function of the project needs none of its own: `lambda path: load(path, 2)` becomes `partial(load, scale=2)`,
where nothing passes it an argument by keyword. Where the target of a `Process` has no arguments, the values that it
reads become the `args` of the process. Of options that `argparse` parsed, and that nothing sets later, one or two are
passed alone, not all of them; of a model that the project makes, the numbers that its constructor alone sets. `lambda
c: f"a {c}"` becomes `"a {}".format` where it is seen to be called with one argument. `lambda x, i=i:` becomes a partial
with the keyword `i`, which nobody can pass by position any more; so does a default that is an expression:
`width=args.width` is taken where it was, on each call of the function around. Where a call may pass such a default by
position, a class with `__call__` keeps it. So becomes a function that keeps attributes, or whose `__name__` somebody
reads while it takes values along; one that also reads `self` keeps that object. A local class that reads
variables gets them as the first arguments of its constructor, where it is only called, and no base class takes part in
creating its objects; it gets in the same way the attributes whose value is computed each time (`size = config.SIZE`):
they are read where the class stood. Imports inside the function that only the moved code used go with it.
`defaultdict(lambda: defaultdict(lambda: n))` becomes a `partial(defaultdict, ...)` of the inner function.

Each call of the function around made a new function. Where code is seen to distinguish them (`==`, `is`, `remove`, a
key of a dict, a set, a weak reference, attributes that are set on them) each call makes a new `functools.partial`. That
is also the form for what reads `self` where a method would be seen: attributes are set on it, the members of the class
are listed, or its methods are used with objects of other classes.

Nothing moves where code goes through all names of the module (`for name in models.__dict__`) and would find the new
one; a function keeps its own name only where nobody asks the module for it. Where the `__name__` of a lambda is read,
or the `__qualname__` of a function, the fix is unsafe.

Only with `--unsafe-fixes`: what reads a variable that each round of a loop binds anew, unless it is made for a call
that waits for the workers (`map`, `starmap`, `apply` of a pool). Each function then keeps the value from when it is
made, where a closure would have seen the last one; often that is what was meant. And what takes values along and is
kept on something that `copy.deepcopy` is seen to copy: a copy shares the functions of the original and what they
captured, and gets partials and bound methods of its own. Mostly that, too, is what was meant.

Reported and not rewritten, with the reason: variables that change later, `nonlocal`, lists and dicts that the function
fills for others to read, values that can't be pickled either, `super()`, names that only the main guard binds,
decorators that may do more with the function, classes with computed bases, functions put on classes as methods or by
decorators, names in `__all__` that would become partials, and functions whose code or documentation is read, or whose
type is tested. Where code in any file is seen to read `__name__`, the function keeps its name. Also local classes whose
defaults read what may change (`def read(self, size=config.SIZE)`), and those that code distinguishes: by `isinstance`
or `except`, as keys, or by what is counted on the class; those with descriptors, those whose base is asked for
`__subclasses__()`, and functions that go on from a global of the module (`count += 1`).

## References
- <https://docs.python.org/3/library/pickle.html#what-can-be-pickled-and-unpickled>
- <https://docs.python.org/3/library/multiprocessing.html#the-spawn-and-forkserver-start-methods>
- <https://docs.pytorch.org/docs/stable/data.html#platform-specific-behaviors>
"""

from __future__ import annotations

from ...rule import Rule, found_by
from .errors import ERRORS
from .screen import ID, SCREEN

RULE = Rule(
    id=ID,
    summary="Give lambdas, nested functions and local classes that reach a worker a name that pickle finds",
    screen=SCREEN,
    find=found_by(__name__),
    documentation=__doc__,
    errors=ERRORS,
    follows_values=True,
)
