import multiprocessing as mp


class Evaluator:
    def __init__(self, workers, threshold):
        self.threshold = threshold
        self.pool = mp.Pool(workers)

    def score(self, boxes):
        return sum(box > self.threshold for box in boxes)

    def run(self, images):
        return self.pool.map(self.score, images)

    def close(self):
        self.pool.close()
        self.pool.join()


if __name__ == "__main__":
    evaluator = Evaluator(2, 0.5)
    print(evaluator.run([[0.1, 0.9], [0.7, 0.8], [0.2]]))
    evaluator.close()
