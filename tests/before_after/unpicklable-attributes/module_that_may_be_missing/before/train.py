from multiprocessing import Process


class Metrics:
    def __init__(self):
        try:
            import statistics

            self.plain = statistics
        except ImportError:
            raise RuntimeError("no statistics")
        try:
            import a_package_that_nobody_has

            self.fast = a_package_that_nobody_has
        except ImportError:
            self.fast = None

    def show(self, numbers):
        library = self.fast or self.plain
        print(library.__name__, library.mean(numbers), flush=True)


def main():
    worker = Process(target=Metrics().show, args=([1, 2, 6],))
    worker.start()
    worker.join()


if __name__ == "__main__":
    main()
