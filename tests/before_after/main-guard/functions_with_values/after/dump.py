import argparse
from concurrent.futures import ProcessPoolExecutor
from functools import partial


# where one goes
def _dump(directory, name):
    return f"{directory}/{name}"


def _dock(
    dump,
    choice,
    directory,
    name,
    folder=None,
):
    return dump(f"{folder or choice}/{name}") if folder else f"{directory}/{choice}/{name}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("directory")
    parser.add_argument("choice")
    args = parser.parse_args()
    directory, choice = args.directory, args.choice

    dump = partial(_dump, directory)

    dock = partial(_dock, dump, choice, directory)

    with ProcessPoolExecutor(1) as pool:
        print([*pool.map(dump, ["a", "b"])])
        print([*pool.map(dock, ["a", "b"])])
