import multiprocessing as mp

import labels
from labels import LABELS, NAMES


class Encoder:
    def __init__(self, names=list(LABELS.keys())):
        self.names = names

    def encode(self, word):
        return list(self.names).index(word) if word in self.names else -1


class Described(Encoder):
    def __init__(self):
        super().__init__(names=NAMES)
        self.captions = self.load_captions()

    def load_captions(self):
        return list({0: "a cat", 1: "a dog"}.items())

    def caption(self, word):
        return dict(self.captions).get(self.encode(word))


def work(encoder, out):
    known = hasattr(encoder, "captions")
    out.put([encoder.encode("dog"), encoder.encode("cow"), encoder.caption("dog") if known else None])


if __name__ == "__main__":
    out = mp.Queue()
    for encoder in (Encoder(), Described()):
        worker = mp.Process(target=work, args=(encoder, out))
        worker.start()
        print(out.get())
        worker.join()
    print(sum(labels.IDS), sorted(NAMES))
