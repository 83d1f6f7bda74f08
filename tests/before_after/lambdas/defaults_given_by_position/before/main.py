from multiprocessing import Process, SimpleQueue

LIMITS = {"low": 0, "high": 9}


def build(scale):
    def clip(value, low=LIMITS["low"], *, high=LIMITS["high"]):
        """Between both, where they are given."""
        if low is None:
            return [min(value * scale, high)]
        return min(max(value * scale, low), high)

    return clip


def work(out, clip, rows):
    out.put([(clip(row), clip(row, 6), clip(row, None), clip(row, high=1)) for row in rows])


def in_worker(clip, rows):
    out = SimpleQueue()
    process = Process(target=work, args=(out, clip, rows))
    process.start()
    result = out.get()
    process.join()
    return result


def main():
    first = build(1)
    LIMITS.update(low=4, high=12)
    second = build(2)
    LIMITS.update(low=100, high=100)
    for clip in (first, second):
        print(in_worker(clip, [1, 5, 50]))
        print(clip(2), clip(2, 3), clip(2, low=3, high=3), clip(2, None))
    print(first == second, len({first, second, build(1)}))


if __name__ == "__main__":
    main()
