from multiprocessing import Process, SimpleQueue


def work(out, fn, rows):
    out.put([fn(row) for row in rows])


def in_worker(fn, rows):
    out = SimpleQueue()
    process = Process(target=work, args=(out, fn, rows))
    process.start()
    result = out.get()
    process.join()
    return result


WIDTH = 4
EDGES = (0, WIDTH)


def main():
    def pad(row, width=WIDTH, edges=EDGES):
        return row.rjust(width, str(edges[0]))

    print(in_worker(pad, ["1", "22"]))


WIDTH_OF_NOTHING = 0


if __name__ == "__main__":
    main()
