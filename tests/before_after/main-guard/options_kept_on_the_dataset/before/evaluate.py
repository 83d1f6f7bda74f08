import argparse
import os

from torch.utils.data import DataLoader, Dataset


class Clips(Dataset):
    """The clips of a list."""

    def __init__(self, names):
        super().__init__()
        self.names = names[: args.limit]

    def __len__(self):
        return len(self.names)

    def path(self, name):
        return os.path.join(args.folder, f"{name}{args.suffix}")

    def __getitem__(self, index):
        found = [self.path(name) for name in self.names if name == self.names[index]]
        return f"{index + 1}/{args.limit} {found[0]}"


def run():
    clips = Clips(["a", "b", "c", "d"])
    for (line,) in DataLoader(clips, batch_size=1, num_workers=2, collate_fn=tuple):
        print(line)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", default=".")
    parser.add_argument("--suffix", default=".mp4")
    parser.add_argument("--limit", type=int, default=2)
    args = parser.parse_args()
    run()
