import sys
from concurrent.futures import ProcessPoolExecutor


def parse(number):
    return int(number)


numbers = ["1", "2", "x"][: 2 + len(sys.argv[1:])]
if numbers:
    executor = ProcessPoolExecutor(2)
    try:
        print(sum(executor.map(parse, numbers)))
    finally:
        executor.shutdown()
else:
    print("nothing to do")
