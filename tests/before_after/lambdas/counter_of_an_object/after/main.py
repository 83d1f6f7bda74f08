import copy
from multiprocessing import Process, SimpleQueue


class _MeterRead:
    def __init__(self, owner):
        self.owner = owner

    def __call__(self, value):
        self.count += 1
        return f"{value * self.owner.factor} {self.owner.unit}"

    def __deepcopy__(self, memo):
        return self  # copies share it, as they share a function


class _MeterShow:
    def __init__(self, owner):
        self.owner = owner

    def __call__(self, value):
        return f"<{value} {this(self.owner)}>"

    def __deepcopy__(self, memo):
        return self  # copies share it, as they share a function


class Meter:
    def __init__(self, unit, factor):
        self.unit = unit
        self.factor = factor

        read = _MeterRead(self)

        read.count = 0
        self.read = read
        self.show = _MeterShow(self)
        self.show.shown = 0


def this(meter):
    return f"{meter.unit} x{meter.factor}"


def work(out, meter, shows, values):
    texts = [meter.read(value) for value in values]
    for show in shows:
        show.shown += 1
    meter.factor += 1
    own = meter.show(0)
    out.put((texts, meter.read.count, [(show(1), show.shown) for show in shows], own))


def in_worker(meter, shows, values):
    out = SimpleQueue()
    process = Process(target=work, args=(out, meter, shows, values))
    process.start()
    result = out.get()
    process.join()
    return result


def main():
    first, second = Meter("kg", 2), Meter("m", 3)
    print(first.read(5), first.read.count, second.read.count)
    second.factor = 10
    second.show.shown = 7
    for meter in (first, second):
        print(in_worker(meter, [first.show, second.show], [1, 2]))
    again = copy.deepcopy(second)
    second.unit = "km"
    print(again.read is second.read, again.read(1), second.read.count)
    print(first.read == second.read, first.read in [second.read], len({first.show, second.show}))
    print(first.factor, first.show.shown, first.read.count, hasattr(Meter, "read"))


if __name__ == "__main__":
    main()
