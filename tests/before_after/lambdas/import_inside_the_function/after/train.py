from multiprocessing import Pool


def _normalise_map(word):
    import unicodedata
    from textwrap import shorten as short
    return short(unicodedata.normalize("NFKD", word), 12)


def normalise(words):
    with Pool(2) as pool:
        return pool.map(_normalise_map, words)


if __name__ == "__main__":
    print(normalise(["plain text here", "oÅ"]))
