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

    def __getstate__(self):
        state = self.__dict__.copy()
        # what can't be pickled; __setstate__ makes it anew
        del state["plain"]
        if "fast" in state:
            state["fast"] = self.fast is not None
        return state

    def __setstate__(self, state):
        import statistics

        self.__dict__.update(state)
        self.plain = statistics
        if "fast" in state:
            if state["fast"]:
                import a_package_that_nobody_has
                self.fast = a_package_that_nobody_has
            else:
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
