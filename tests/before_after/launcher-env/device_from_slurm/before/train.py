import os
import sys

from core import WarpCore


class Device:
    def __init__(self, index):
        self.index = index

    def __repr__(self):
        return f"cuda:{self.index}"


class WurstCore(WarpCore):
    pass


if __name__ == '__main__':
    print("Launching Script")
    warpcore = WurstCore(
        config_file_path=sys.argv[1] if len(sys.argv) > 1 else None,
        device=Device(int(os.environ.get("SLURM_LOCALID")))
    )

    # RUN TRAINING
    warpcore(single_gpu=True)
