class BaseDataset:
    def __init__(self, root):
        self.root = root
        self.offset = 100
        self.outlier_classes = None  # set by the classes that derive from this one
        self.train_set = None
