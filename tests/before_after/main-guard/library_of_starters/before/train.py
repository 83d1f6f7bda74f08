import pools


def triple(value):
    return 3 * value


if __name__ == "__main__":
    print(pools.run(triple, [1, 2]))
