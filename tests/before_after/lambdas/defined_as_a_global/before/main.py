from multiprocessing import Process


def setup():
    global show_double

    def show_double(row):
        print(row * 2)


def main():
    setup()
    process = Process(target=show_double, args=(4,))
    process.start()
    process.join()
    raise SystemExit(process.exitcode)


if __name__ == "__main__":
    main()
