import random

from torch.utils.data import DataLoader, Dataset

from utils.seed import get_seed_worker


class Noise(Dataset):
    def __len__(self):
        return 2

    def __getitem__(self, index):
        return random.randrange(1000)


def main(seed=3):
    loader = DataLoader(
        Noise(), batch_size=None, num_workers=2, worker_init_fn=get_seed_worker(seed)
    )
    print(list(loader))


if __name__ == "__main__":
    main()
