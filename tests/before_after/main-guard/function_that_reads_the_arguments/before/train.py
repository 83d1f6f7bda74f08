from concurrent.futures import ProcessPoolExecutor

if __name__ == "__main__":
    args = {"scale": len("abc")}

    def work(value):
        return args["scale"] * value

    with ProcessPoolExecutor(2) as executor:
        print(list(executor.map(work, [1, 2])))
