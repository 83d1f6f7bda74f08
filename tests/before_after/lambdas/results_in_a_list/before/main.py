from multiprocessing import Process


def main():
    results = []

    def square(rows):
        for row in rows:
            results.append(row * row)

    process = Process(target=square, args=([1, 2, 3],))
    process.start()
    process.join()
    print(len(results), "results")
    raise SystemExit(process.exitcode)


if __name__ == "__main__":
    main()
