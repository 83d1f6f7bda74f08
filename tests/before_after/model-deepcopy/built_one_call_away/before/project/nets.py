import torch.nn as nn


class ColumnLinear(nn.Linear):
    def __init__(self, width, group):
        super().__init__(width, width)
        self.group = group


class Net(nn.Sequential):
    def __init__(self, width, dropout, group):
        super().__init__(ColumnLinear(width, group), nn.Dropout(dropout), ColumnLinear(width, group))


def create_model(args, group):
    if args.width <= 0:
        raise ValueError("width")
    model = Net(args.width, args.dropout, group)
    return model
