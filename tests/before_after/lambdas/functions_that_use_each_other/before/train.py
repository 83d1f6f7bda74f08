from concurrent.futures import ProcessPoolExecutor


def flatten_all(trees, sep):
    # leaves are strings
    def leaves(tree):
        if isinstance(tree, str):
            return [tree]
        return [leaf for branch in tree for leaf in leaves(branch)]

    def joined(tree, start=""):
        return start + sep.join(leaves(tree))

    with ProcessPoolExecutor(max_workers=2) as executor:
        futures = [executor.submit(lambda tree: joined(tree, start="> "), tree) for tree in trees]
        return [future.result() for future in futures]


if __name__ == "__main__":
    print(flatten_all([["a", ["b", "c"]], "d"], "-"))
