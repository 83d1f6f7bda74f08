import torch
from torch.utils.data import DataLoader


class TrainerConfig:
    max_epochs = 10
    num_workers = 0  # for DataLoader

    def __init__(self, **kwargs):
        for key, value in kwargs.items():
            setattr(self, key, value)


class Trainer:
    def __init__(self, model, dataset, config):
        self.model = model
        self.dataset = dataset
        self.config = config

    def train(self):
        model, config = self.model, self.config

        def run_epoch():
            loader = DataLoader(self.dataset, batch_size=2, num_workers=config.num_workers)
            return sum(model(batch).sum().item() for batch in loader)

        for epoch in range(config.max_epochs):
            print("epoch", epoch, "sum %.1f" % run_epoch())
