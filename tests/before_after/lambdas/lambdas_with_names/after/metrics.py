"""Metrics by name."""
import math

EPS = 1e-6


# per element
def mse(y, p):
    return (y - p) ** 2


def log_loss(y, p):
    return -(
        y * math.log(p + EPS)
        + (1 - y) * math.log(1 - p + EPS)
    )


NAMES = {mse: "mse", log_loss: "log"}
