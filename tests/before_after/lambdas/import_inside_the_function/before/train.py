from multiprocessing import Pool


def normalise(words):
    import unicodedata
    from textwrap import shorten as short

    with Pool(2) as pool:
        return pool.map(lambda word: short(unicodedata.normalize("NFKD", word), 12), words)


if __name__ == "__main__":
    print(normalise(["plain text here", "oÅ"]))
