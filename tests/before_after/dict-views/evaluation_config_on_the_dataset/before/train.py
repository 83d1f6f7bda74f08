from torch.utils.data import DataLoader

from projects.scenes_dataset import ScenesDataset


def main():
    dataset = ScenesDataset(6)
    loader = DataLoader(dataset, batch_size=2, num_workers=2)
    for batch in loader:
        print(batch.tolist())
    for name in dataset.eval_detection_configs.class_names:
        print(name)


if __name__ == '__main__':
    main()
