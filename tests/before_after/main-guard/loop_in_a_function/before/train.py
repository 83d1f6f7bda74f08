from data import get_loaders


def run_epoch(batches):
    total = 0.0
    for (batch,) in batches:
        total += batch.sum().item()
    return total


train_loader, test_loader = get_loaders()
print("train", run_epoch(train_loader))
print("test", run_epoch(test_loader))
