import os


class Trainer:
    def __init__(self, epochs):
        self.epochs = epochs
        self._prepare()

    def _prepare(self):
        self.gpu_id = int(os.environ.get("LOCAL_RANK", 0))

    def train(self):
        for epoch in range(self.epochs):
            print(f"[GPU{self.gpu_id}] Epoch {epoch}")
