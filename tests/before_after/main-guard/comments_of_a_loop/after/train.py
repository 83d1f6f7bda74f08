from torch.utils.data import DataLoader

if __name__ == "__main__":
    loader = DataLoader([1.0, 2.0, 3.0], num_workers=1)

    for epoch in range(2):
        for batch in loader:
            print(epoch, batch.tolist())
        # print("epoch", epoch)

        # scheduler.step()

# the end
