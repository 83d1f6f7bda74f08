import multiprocessing as mp


class Words:
    def __init__(self, path, on_disk=True):
        self.path = path
        self.on_disk = on_disk
        if not on_disk:
            with open(path, "rb") as file:
                self.lines = file.read().splitlines()
        if self.on_disk:
            self.lines = open(self.path, "rb")

    def word(self, at):
        if self.on_disk:
            self.lines.seek(0)
            return self.lines.read().splitlines()[at].decode()
        return self.lines[at].decode()


class Log:
    def __init__(self, path, readonly):
        self.readonly = readonly
        if readonly:
            self.file = open(
                path,  # it is there
                "rb",
            )
            self.count = 0
        else:
            self.file = open(path, "wb")
            self.count = None

    def size(self):
        self.file.seek(0)
        return len(self.file.read())


def show(words, log, at):
    print(words.word(at), log.size() if log is not None else "", flush=True)


def in_child(*arguments):
    child = mp.Process(target=show, args=arguments)
    child.start()
    child.join()


if __name__ == "__main__":
    writer = Log("words.txt", readonly=False)
    writer.file.write(b"first\nsecond\nthird\n")
    writer.file.close()
    in_child(Words("words.txt", on_disk=False), None, 0)
    in_child(Words("words.txt"), Log("words.txt", readonly=True), 1)
    in_child(Words("words.txt"), Log("words.txt", readonly=True), 2)
