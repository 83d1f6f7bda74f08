from multiprocessing import Pool


class Vocabulary:
    def __init__(self, sentences, min_count=1):
        counts = {}
        for sentence in sentences:
            for word in sentence.split():
                counts[word] = counts.get(word, 0) + 1
        words = counts.keys()
        if len(words) < min_count:
            raise ValueError("too few words")
        self.size = len(words)
        self.words = words

    def known(self, sentence):
        return [word for word in sentence.split() if word in self.words]


def start(vocabulary):
    global VOCABULARY
    VOCABULARY = vocabulary


def work(item):
    return VOCABULARY.known(item)


if __name__ == "__main__":
    vocabulary = Vocabulary(["a cat sat", "the cat ran"])
    with Pool(2, initializer=start, initargs=(vocabulary,)) as pool:
        print(pool.map(work, ["a dog sat", "the cow ran"]), vocabulary.size)
