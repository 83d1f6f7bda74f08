import math
from concurrent.futures import ProcessPoolExecutor

FACTOR = 2

# everything at once
if __name__ == "__main__":
    values = [1, 4, 9]

    def root(value):
        return math.sqrt(value)

    # doubles the root
    def work(value):
        """Twice the root

        of it.
        """
        return FACTOR * root(value)

    with ProcessPoolExecutor(2) as executor:
        print(list(executor.map(work, values)))
