import os

import evaluate


def train():
    torch_device = int(os.environ.get('SLURM_LOCALID', os.environ.get('LOCAL_RANK', 0)))
    print("train on", torch_device)


if __name__ == "__main__":
    train()
    evaluate.evaluate()
