from concurrent.futures import ProcessPoolExecutor


def add(value):
    return value + largest


executor = ProcessPoolExecutor(2)
largest = max(executor.map(abs, [-3, 2]))
print(list(executor.map(add, range(3))))
