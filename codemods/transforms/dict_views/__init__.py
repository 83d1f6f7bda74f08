"""Views of a dict that are kept on an object: `self.names = table.keys()`.

## What it finds
`d.keys()`, `d.values()` and `d.items()` stored as an attribute of an object, directly, through a local name, inside a
list, tuple or dict, or set from outside (`config.names = table.keys()`). Views that are only looped over, returned or
passed on are left alone. What `zip`, `map`, `filter` and `reversed` give can be pickled and is left alone too.

Also objects of installed packages that are known to hold a view (the evaluation configuration of nuscenes-devkit, and
the datasets of mmdetection3d before 1.1 that keep one), where a dataset of the repository keeps or inherits them. The
package can't be changed from here: the fix is one line after the object is there,
`self.config.class_names = list(self.config.class_names)`. It stays right when the package is fixed one day.

## Why it breaks
A view can't be pickled. Under spawn and forkserver the whole dataset is pickled for every `DataLoader` worker, with
every object that is part of it, often a plain configuration object. Training then stops with

```text
TypeError: cannot pickle 'dict_keys' object
```

while it ran under fork, or on one GPU. (Libraries such as mmcv choose spawn when training is distributed.)

## Example
```python
from multiprocessing import Pool


class EvalConfig:
    def __init__(self, class_range):
        self.class_range = class_range
        self.class_names = self.class_range.keys()

    def score(self, boxes):
        return [boxes.count(name) for name in self.class_names]


if __name__ == "__main__":
    config = EvalConfig({"car": 50, "bus": 40})
    with Pool(2) as pool:
        print(pool.map(config.score, [["car", "car"], ["bus"]]))
```

## Use instead
```python
from multiprocessing import Pool


class EvalConfig:
    def __init__(self, class_range):
        self.class_range = class_range
        self.class_names = list(self.class_range.keys())

    def score(self, boxes):
        return [boxes.count(name) for name in self.class_names]


if __name__ == "__main__":
    config = EvalConfig({"car": 50, "bus": 40})
    with Pool(2) as pool:
        print(pool.map(config.score, [["car", "car"], ["bus"]]))
```

## Fix safety
All uses of the attribute in the repository are looked at. Looping, `in`, `len`, `sorted` and the like are the same for
a list. Where uses need a set (`names & other`, `==`, `<=`, `isdisjoint`), or find keys by a hash that says less than
their `==`, `set(...)` is stored, if all uses have the same answer for that and none shows the order. The fix is refused
where they do not, for a type test, `@singledispatch`, `json.dumps(vars(self), default=f)`; and where the name `list`
means something else in that file. A field of a dataclass counts as an attribute, and as a part of what `==` and `str`
make of the object. It is unsafe (only with `--unsafe-fixes`) where the dict is seen to change after the view is taken,
because a view shows later changes and a list does not; where the view becomes part of a text that is used further (a
file name, a key), because that text would change; and where nothing shows that the object is a dict, and the file uses
a library whose `.keys()` or `.values()` is something else. What is only printed, logged or put into an error message
reads `[...]` instead of `dict_keys([...])` afterwards; the fix counts as safe. Code outside the repository that relies
on a view is not seen.

## References
- [Dictionary view objects](https://docs.python.org/3/library/stdtypes.html#dictionary-view-objects)
- [What can be pickled](https://docs.python.org/3/library/pickle.html#what-can-be-pickled-and-unpickled)
- [The case in nuscenes-devkit](https://github.com/nutonomy/nuscenes-devkit/issues/1155)
"""

from __future__ import annotations

from ...rule import Rule, found_by, found_per_file
from .errors import ERRORS
from .python2 import PYTHON2
from .screen import ID, SCREEN

RULE = Rule(
    id=ID,
    summary="Store lists instead of dict views on objects that are pickled",
    screen=SCREEN,
    find=found_by(__name__),
    per_file=found_per_file(__name__),
    documentation=__doc__,
    errors=ERRORS,
    follows_values=True,
    python2=PYTHON2,
)
