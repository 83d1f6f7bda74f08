import functools
from multiprocessing import Pool


def logged(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        return fn(*args, **kwargs)

    return wrapper


def process(frames, crop=None):
    @logged
    def load(frame, *, fill: int = 0) -> list:
        """Pads to three."""
        return (frame + [fill] * 3)[:3]

    with Pool(2) as pool:
        loaded = pool.map(load, frames)
        return pool.map(
            (lambda frame: frame) if crop is None else (
                lambda frame: [
                    x
                    for x in frame
                    if x < crop  # keep it small
                ]
            ),
            loaded,
        )


if __name__ == "__main__":
    print(process([[1], [5, 9]]), process([[1], [5, 9]], crop=6))
