"""Put the code of a script that starts processes under `if __name__ == "__main__":`.

## What it finds
Scripts whose module-level code starts processes with nothing to stop a child from doing the same: it iterates a
`DataLoader` with workers (or a loader class derived from it), makes a `Pool`, gives a `ProcessPoolExecutor` its first
task, starts a `Process`, calls `mp.spawn` or `set_start_method`, maps a Hugging Face dataset with `num_proc`, itself or
in functions that it calls, also those of other files, and what it looks up by name while it runs
(`registry.get(name)(args)`, `getattr(trainers, name)()`). Code above a guard that starts processes, where every worker
would repeat it: a question to the user, a file that is emptied, weights that are loaded. And functions and classes that
are defined under the guard although a worker must find them. Globals that a worker reads and only the main process
sets, like `args` under the guard, are reported, and so are the settings of a module that only the main process changes:
`cfg.merge_from_file(args.config)` under the guard, `cfg.SIZE` in the `__getitem__` of a dataset. So is other state that
the main process alone sets and a worker reads: a global of a module, also from another file
(`words.current = args.words`), an attribute of a class (`Encoder.size = args.size`), an entry of a table, what
decorators register inside `main()`. What libraries keep for a whole process is the same: a seed, torch's default dtype,
the context of `decimal`, where `sys.stdout` leads, a function that is replaced (`json.dumps = ...`); and what each
import computes anew: a time, a random table, a variable of the environment that the main process changes afterwards.

## Why it breaks
A spawned child imports the script before it does its work. Unguarded code runs again there: `RuntimeError: An attempt
has been made to start a new process before the current process has finished its bootstrapping phase`, or `context has
already been set`. What is defined under the guard does not exist in the child: `Can't get attribute 'work' on <module
'__mp_main__'>`; nor does what is set there: `NameError: name 'args' is not defined`. A module's settings are imported
anew: the child works with the values that stand in the file, and nothing says so.

## Example
```python
import torch
from torch.utils.data import DataLoader, TensorDataset


def evaluate(loader):
    return sum(batch[0].sum().item() for batch in loader)


dataset = TensorDataset(torch.arange(8.0))
loader = DataLoader(dataset, batch_size=4, num_workers=2)
for epoch in range(2):
    for (batch,) in loader:
        print(epoch, batch.mean().item())
print(evaluate(loader))
```

## Use instead
```python
import torch
from torch.utils.data import DataLoader, TensorDataset


def evaluate(loader):
    return sum(batch[0].sum().item() for batch in loader)


if __name__ == "__main__":
    dataset = TensorDataset(torch.arange(8.0))
    loader = DataLoader(dataset, batch_size=4, num_workers=2)
    for epoch in range(2):
        for (batch,) in loader:
            print(epoch, batch.mean().item())
    print(evaluate(loader))
```

## Fix safety
The script itself does what it did: its statements keep their order, and names stay global. The guard begins at the
first statement that a worker must not repeat: a download, a question to the user, a data set or checkpoint that is
loaded, a model that goes to a GPU (also in a constructor), a log or file that is written, ranks that are joined, or
else the first statement that starts processes. From there on everything goes under one guard. Functions, classes and
constants between these lines are moved above it where that can't change them (no decorator, default or class body
that runs code of its own, or reads what the lines before it set); imports that no worker needs go along, and so do
functions and classes that can't be moved. Where one guard is not possible, up to three are written. What prints, logs
or registers a call at exit goes under a guard as well, but for a line that is printed among the imports: a worker that
prints it once more does no harm.

Some statements must not be repeated, but workers read what they set, so they can't go under the guard. Then the fix is
unsafe. Nothing is rewritten when a function that a worker may run reads a global that would come to stand under the
guard, or looks names up by text (`globals()`, `eval`), or when another file imports the script, also in the text of a
command. The same holds where the code that workers run, in whatever file, reads a table, class or module that the
guarded lines change; where a name is defined again between two starts, which is the target of one or is read there;
where a variable of the environment would be set back, or added to twice; where a worker reads a value that each
process would compute anew (a time, a temporary folder, a random number), or as a global an object that processes share
(a `Value`, a `Lock`, a `Queue` of `multiprocessing`); and where it draws from a generator of numpy or torch that the
guarded lines seed; and where a cell of a script that is shown as a notebook (`# %%`, the pages of sphinx-gallery) would
begin under the guard, as such marks count at the left edge only. Where a script stays without a guard for such a
reason, other fixes of what it sends to its workers are unsafe too, unless that is pickled under fork as well: it would
fail all the same. To set
names by text (`globals().update(...)`, `setattr(module, name, value)`) counts as an assignment. A literal that is set
under the guard and read by a worker is set above it, and so is what is only looked up: a path that is put together, an
environment variable, an import. What else is set there, or by a function of the main process, is handed to the workers
of a pool of the same file by its `initializer`: they get the value that it has when the pool is made, as under fork.
An initializer that the pool has already is called by the new one. A `DataLoader` of the same file gets it as a
`functools.partial` for its `worker_init_fn`. A script without a guard whose workers read what has to go under it, as
the list of a manager, a lock, or a time, gets both in one fix, where it is the only file that is concerned. The value
has to be set by then whatever branch
runs; the fix is unsafe where nothing shows that the value can be pickled. Where the methods of a dataset read it, its
objects take it along: `self.args = args` in `__init__`, which runs in the main process. A function under the guard
that reads what it sets is defined above it, and gets the values by a `functools.partial` at its old place: at most
five, each set once before it, none that it changes.

Where a guard is there already, what workers would repeat joins its block. What workers read stays where it is, and so
do settings like `cv2.setNumThreads(0)`; where another statement may set something for them, the fix is unsafe. What is
set on an object of another module (`cfg.RANK = rank`) is for them only where code that workers may run imports it.

## References
- https://docs.python.org/3/library/multiprocessing.html#the-spawn-and-forkserver-start-methods
- https://pytorch.org/docs/stable/data.html#platform-specific-behaviors
- https://github.com/pytorch/pytorch/issues/5858
"""

from __future__ import annotations

from ...rule import Rule, found_by, found_per_file, losses_by
from .errors import ERRORS
from .screen import ID, SCREEN

RULE = Rule(
    id=ID,
    summary='Put code that starts processes under `if __name__ == "__main__":`',
    screen=SCREEN,
    find=found_by(__name__),
    per_file=found_per_file(__name__),
    losses=losses_by(__name__),
    documentation=__doc__,
    errors=ERRORS,
    notebooks=False,  # a child of a notebook does not run its cells again
)
