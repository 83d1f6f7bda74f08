import contextlib
import os


def local_rank():
    try:
        return int(os.environ["LOCAL_RANK"])
    except KeyError:
        return -1


def slurm_rank():
    try:
        return int(os.environ.get("SLURM_LOCALID"))
    except (TypeError, ValueError):
        return None


if __name__ == "__main__":
    with contextlib.suppress(KeyError):
        print(os.environ["LOCAL_RANK"])
    print(local_rank(), slurm_rank())
