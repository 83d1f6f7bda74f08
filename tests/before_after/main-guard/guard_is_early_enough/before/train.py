import json
import os
import warnings

import torch
from torch.utils.data import DataLoader, Dataset

warnings.filterwarnings("ignore")
os.makedirs("runs", exist_ok=True)
if not os.path.exists("cache"):
    os.mkdir("cache")


def read_config(path):
    with open(path) as file:
        config = json.load(file)
    with open("runs/config.json", "w") as file:
        file.write(json.dumps(config))
    return config


CONFIG = read_config("config.json")
NOWHERE = open(os.devnull, "w")
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def set_up(log_file=None):
    if log_file is not None:
        return open(log_file, "w")
    return None


LOG = set_up()


class Squares(Dataset):
    def __len__(self):
        return CONFIG["size"]

    def __getitem__(self, index):
        return torch.tensor(float(index * index))


def main():
    net = torch.nn.Identity().to(device)
    print(sum(net(batch).sum().item() for batch in DataLoader(Squares(), batch_size=4, num_workers=2)))


if __name__ == "__main__":
    main()
