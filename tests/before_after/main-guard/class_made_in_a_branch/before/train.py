from concurrent.futures import ProcessPoolExecutor


def area(shape):
    return shape.width * shape.width


executor = ProcessPoolExecutor(2)
if executor is not None:
    class Square:
        width = 3

    print(list(executor.map(area, [Square()])))
