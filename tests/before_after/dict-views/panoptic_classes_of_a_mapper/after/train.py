import multiprocessing

from mapper import ClassMapper

TAXONOMY = [('car', 'thing'), ('road', 'stuff'), ('person', 'thing'), ('sky', 'stuff')]


class PanopticEvaluator:
    def __init__(self, scenes):
        self.scenes = scenes
        self.mapper = ClassMapper(TAXONOMY)
        self.things = list(self.mapper.things.keys())
        self.stuff = list(self.mapper.stuff.keys())
        self.min_stuff_cls_id = len(self.things) + 1

    def score(self, scene):
        results = {name: scene * (i + 1) for i, (name, _) in enumerate(TAXONOMY)}
        return sum(results[c] for c in self.things), [results[c] for c in self.stuff]

    def evaluate(self):
        with multiprocessing.Pool(2) as pool:
            return pool.map(self.score, self.scenes)


if __name__ == '__main__':
    evaluator = PanopticEvaluator([1, 2, 3])
    for row in evaluator.evaluate():
        print(row)
    print(evaluator.min_stuff_cls_id)
