import functools
from multiprocessing import Pool


def logged(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        return fn(*args, **kwargs)

    return wrapper


@logged
def load(frame, *, fill: int = 0) -> list:
    """Pads to three."""
    return (frame + [fill] * 3)[:3]


def _identity(frame):
    return frame


def _process_map(crop, frame):
    return [
        x
        for x in frame
        if x < crop  # keep it small
    ]


def process(frames, crop=None):
    with Pool(2) as pool:
        loaded = pool.map(load, frames)
        return pool.map(
            _identity if crop is None else (
                functools.partial(_process_map, crop)
            ),
            loaded,
        )


if __name__ == "__main__":
    print(process([[1], [5, 9]]), process([[1], [5, 9]], crop=6))
