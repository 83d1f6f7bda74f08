import sys

try:
    import torch

    torch.multiprocessing.set_start_method("fork", force=True)
except ValueError:
    print("this system can't fork: use no workers", file=sys.stderr)
