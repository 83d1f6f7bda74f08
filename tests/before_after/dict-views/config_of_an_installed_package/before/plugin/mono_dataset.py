class MonoDataset:
    """Single frames, without the boxes of neighbours."""

    def __init__(self, length, eval_version=None):
        self.length = length
        self.eval_version = eval_version
        if self.eval_version is not None:
            from nuscenes.eval.detection.config import config_factory
            self.eval_detection_configs = config_factory(self.eval_version)  # ranges per class

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        return len(self.eval_detection_configs.class_names) + index
