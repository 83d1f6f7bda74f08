import argparse
from concurrent.futures import ProcessPoolExecutor

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("directory")
    parser.add_argument("choice")
    args = parser.parse_args()
    directory, choice = args.directory, args.choice

    # where one goes
    def dump(name):
        return f"{directory}/{name}"

    def dock(
        name,
        folder=None,
    ):
        return dump(f"{folder or choice}/{name}") if folder else f"{directory}/{choice}/{name}"

    with ProcessPoolExecutor(1) as pool:
        print([*pool.map(dump, ["a", "b"])])
        print([*pool.map(dock, ["a", "b"])])
