import logging
import multiprocessing

logger = logging.getLogger(__name__)


class LabelMap:
    """Class names and what they are numbered as."""

    def __init__(self, mapping):
        self.mapping = mapping
        self.names = list(self.mapping.keys())

    def number(self, name):
        if name not in self.names:
            raise KeyError(f"{name} is none of {self.names}")
        return self.mapping[name]


def convert(labels, rows):
    logger.info("classes: %s", labels.names)
    for row in rows:
        try:
            print(row, labels.number(row), flush=True)
        except KeyError:
            print(row, "is unknown", flush=True)


def main():
    logging.basicConfig(level=logging.INFO)
    labels = LabelMap({"road": 0, "car": 13, "rider": 12})
    logger.info("using " + str(labels.names))
    worker = multiprocessing.Process(target=convert, args=(labels, ["car", "tree", "road"]))
    worker.start()
    worker.join()
    print(len(labels.names))


if __name__ == "__main__":
    main()
