from torch.utils.data import Dataset

from evaluator import Evaluator


class Boxes(Dataset):
    def __init__(self, boxes):
        self.boxes = boxes

    def __len__(self):
        return len(self.boxes)

    def __getitem__(self, index):
        return self.boxes[index]

    def evaluate(self, results, config):
        self.evaluator = Evaluator(results, config)
        return self.evaluator.main()
