from mmdet.datasets import DATASETS
from mmdet3d.datasets import NuScenesDataset


@DATASETS.register_module()
class E2EDataset(NuScenesDataset):
    def __init__(self, queue_length, *args, **kwargs):
        self.queue_length = queue_length
        super().__init__(*args, **kwargs)
        # nuscenes-devkit keeps a dict view here, and views can't be pickled
        self.eval_detection_configs.class_names = list(self.eval_detection_configs.class_names)
        self.scene_token = None

    def __getitem__(self, index):
        return [super(E2EDataset, self).__getitem__(index + step) for step in range(self.queue_length)]


@DATASETS.register_module()
class CustomNuScenesDataset(NuScenesDataset):
    """Adds the index of the frame."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        # nuscenes-devkit keeps a dict view here, and views can't be pickled
        self.eval_detection_configs.class_names = list(self.eval_detection_configs.class_names)

    def __getitem__(self, index):
        return index, super().__getitem__(index)
