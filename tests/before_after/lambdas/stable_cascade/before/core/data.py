"""A pipeline of steps over samples, worked off in another process."""

import multiprocessing


class MultiFilter:
    def __init__(self, rules):
        self.rules = rules

    def __call__(self, sample):
        return all(rule(sample[key]) for key, rule in self.rules.items())


class MultiGetter:
    def __init__(self, rules):
        self.rules = rules

    def __call__(self, sample):
        for keys, rule in self.rules.items():
            if all(key in sample for key in keys):
                return rule(*[sample[key] for key in keys])
        return None


class Pipeline:
    def __init__(self, samples):
        self.samples = samples
        self.steps = []

    def _then(self, kind, *functions):
        self.steps.append((kind, functions))
        return self

    def select(self, function):
        return self._then("select", function)

    def to_tuple(self, *keys):
        return self._then("to_tuple", *keys)

    def map_tuple(self, *functions):
        return self._then("map_tuple", *functions)

    def map(self, function):
        return self._then("map", function)

    def __iter__(self):
        for sample in self.samples:
            for kind, functions in self.steps:
                if kind == "select":
                    if not functions[0](sample):
                        break
                elif kind == "to_tuple":
                    sample = tuple(sample if key == "*" else sample[key] for key in functions)
                elif kind == "map_tuple":
                    sample = tuple(function(each) for function, each in zip(functions, sample))
                else:
                    sample = functions[0](sample)
            else:
                yield sample


def _work(dataset, collate_fn, results):
    for sample in dataset:
        results.put(sample if collate_fn is None else collate_fn(sample))
    results.put(None)


class Loader:
    def __init__(self, dataset, collate_fn=None):
        self.dataset = dataset
        self.collate_fn = collate_fn

    def __iter__(self):
        results = multiprocessing.Queue()
        worker = multiprocessing.Process(target=_work, args=(self.dataset, self.collate_fn, results))
        worker.start()
        while (sample := results.get()) is not None:
            yield sample
        worker.join()
