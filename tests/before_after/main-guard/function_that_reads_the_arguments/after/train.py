from concurrent.futures import ProcessPoolExecutor
from functools import partial


def _work(args, value):
    return args["scale"] * value


if __name__ == "__main__":
    args = {"scale": len("abc")}

    work = partial(_work, args)

    with ProcessPoolExecutor(2) as executor:
        print(list(executor.map(work, [1, 2])))
