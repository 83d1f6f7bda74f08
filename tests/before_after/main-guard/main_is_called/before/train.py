import argparse
from concurrent.futures import ProcessPoolExecutor


def score(text):
    return len(text)


def main(args):
    with ProcessPoolExecutor(args.workers) as executor:
        print(list(executor.map(score, args.texts)))


parser = argparse.ArgumentParser(description="Score texts")
parser.add_argument("--workers", type=int, default=2)
parser.add_argument("--texts", nargs="+", default=["a", "bb", "ccc"])
args = parser.parse_args([])

# run it
main(args)
