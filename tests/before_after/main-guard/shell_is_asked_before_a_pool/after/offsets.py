import argparse
import subprocess
from concurrent.futures import ProcessPoolExecutor

ROOT = subprocess.check_output(["bash", "-c", "source config.profile; echo $DATA_ROOT"]).decode().strip()


def process(name):
    return f"{args.root}/{name}"


parser = argparse.ArgumentParser()
parser.add_argument("--root", default=ROOT)
args = parser.parse_args()

if __name__ == "__main__":
    for split in ("train", "val"):
        with ProcessPoolExecutor(2) as pool:
            print(*pool.map(process, [f"{split}/{i}" for i in range(2)]))
