import torch
from torch.utils.data import DataLoader, Dataset

if __name__ == "__main__":

    class Numbers(Dataset):
        def __len__(self):
            return 4

        def __getitem__(self, index):
            return torch.tensor(index)

    dataset = Numbers()
    loader = DataLoader(dataset, batch_size=2, num_workers=1)
    print([batch.tolist() for batch in loader])
