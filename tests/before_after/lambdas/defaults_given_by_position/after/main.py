from multiprocessing import Process, SimpleQueue

LIMITS = {"low": 0, "high": 9}


class _BuildClip:
    _unset = object()

    def __init__(self, scale, low, high):
        self._scale = scale
        self._low = low
        self._high = high

    def __call__(self, value, low=_unset, *, high=_unset):
        """Between both, where they are given."""
        low = self._low if low is self._unset else low
        high = self._high if high is self._unset else high
        if low is None:
            return [min(value * self._scale, high)]
        return min(max(value * self._scale, low), high)


def build(scale):
    return _BuildClip(scale, low=LIMITS["low"], high=LIMITS["high"])


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
