from loaders import PairLoader


def main():
    # loader = MaskingLoader(list(range(6)), batch_size=2, num_workers=1)
    loader = PairLoader(list(range(6)), batch_size=2, num_workers=1)
    for batch in loader:
        print(batch.tolist())


if __name__ == "__main__":
    main()
