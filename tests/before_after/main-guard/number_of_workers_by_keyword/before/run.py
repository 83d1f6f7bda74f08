import torch
from torch.utils.data import Dataset

from trainer import Trainer, TrainerConfig


def create_history(size):
    history = []
    for index in range(size):
        history.append(torch.full((2,), float(index)))
    return history


class Replay(Dataset):
    def __init__(self, history):
        self.history = history

    def __len__(self):
        return len(self.history)

    def __getitem__(self, index):
        return self.history[index]


history = create_history(6)

# set up the model
model = torch.nn.Identity()
dataset = Replay(history)

config = TrainerConfig(max_epochs=1, num_workers=2)
trainer = Trainer(model, dataset, config)

trainer.train()
