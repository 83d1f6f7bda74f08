import functools
from concurrent.futures import ProcessPoolExecutor


# leaves are strings
def leaves(tree):
    if isinstance(tree, str):
        return [tree]
    return [leaf for branch in tree for leaf in leaves(branch)]


def _flatten_all_joined(sep, tree, start=""):
    return start + sep.join(leaves(tree))


def flatten_all(trees, sep):
    with ProcessPoolExecutor(max_workers=2) as executor:
        futures = [executor.submit(functools.partial(_flatten_all_joined, sep, start="> "), tree) for tree in trees]
        return [future.result() for future in futures]


if __name__ == "__main__":
    print(flatten_all([["a", ["b", "c"]], "d"], "-"))
