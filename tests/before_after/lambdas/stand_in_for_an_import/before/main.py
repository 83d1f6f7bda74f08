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


try:
    from fast_decoding import decode
except ImportError:
    decode = lambda row: row[::-1]


def main():
    print(in_worker(decode, ["ab", "cd"]))


if __name__ == "__main__":
    main()
