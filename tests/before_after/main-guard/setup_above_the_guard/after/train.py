import os

import torch
from torch.utils.data import DataLoader, Dataset

LOG_DIR = "logs"
BATCH_SIZE = 4

# Prepare the log
if not os.path.exists(LOG_DIR):
    os.mkdir(LOG_DIR)


def log_string(text):
    LOG.write(text + "\n")
    LOG.flush()
torch.multiprocessing.set_sharing_strategy("file_system")


class Squares(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return torch.tensor(float(index * index))


def train_one_epoch():
    total = 0.0
    for batch in TRAIN_LOADER:
        total += batch.sum().item()
    return total


def train(epochs):
    for epoch in range(epochs):
        log_string("epoch %d" % epoch)
        log_string("loss %.1f" % train_one_epoch())
    with open(os.path.join(LOG_DIR, "train.txt")) as log:
        print("the log says", log.read().splitlines())


if __name__ == "__main__":
    LOG = open(os.path.join(LOG_DIR, "train.txt"), "w")
    LOG.write("batch size %d\n" % BATCH_SIZE)
    LOG.flush()
    # Data and model
    TRAIN_LOADER = DataLoader(Squares(), batch_size=BATCH_SIZE, num_workers=2)
    net = torch.nn.Linear(1, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

    train(1)
