import os

import evaluate


def train():
    torch_device = int(os.environ['SLURM_LOCALID'])
    print("train on", torch_device)


if __name__ == "__main__":
    train()
    evaluate.evaluate()
