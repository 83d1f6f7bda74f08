from mmdet.datasets import DATASETS
from mmdet3d.datasets import NuScenesDataset


@DATASETS.register_module()
class E2EDataset(NuScenesDataset):
    def __init__(self, queue_length, *args, **kwargs):
        self.queue_length = queue_length
        super().__init__(*args, **kwargs)
        self.scene_token = None

    def __getitem__(self, index):
        return [super(E2EDataset, self).__getitem__(index + step) for step in range(self.queue_length)]


@DATASETS.register_module()
class CustomNuScenesDataset(NuScenesDataset):
    """Adds the index of the frame."""

    def __getitem__(self, index):
        return index, super().__getitem__(index)
