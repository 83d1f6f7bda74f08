from multiprocessing import Process

from plugin.e2e_dataset import CustomNuScenesDataset, E2EDataset
from plugin.mono_dataset import MonoDataset


def show(dataset):
    for index in range(len(dataset)):
        print(dataset[index], flush=True)


def main():
    datasets = [MonoDataset(3, 'detection_cvpr_2019'), E2EDataset(2, 3), CustomNuScenesDataset(3)]
    for dataset in datasets:
        worker = Process(target=show, args=(dataset,))
        worker.start()
        worker.join()
    print(*datasets[0].eval_detection_configs.class_names)


if __name__ == '__main__':
    main()
