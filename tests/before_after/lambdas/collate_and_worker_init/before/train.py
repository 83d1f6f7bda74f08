from data import build_loader


def main():
    for batch in build_loader({"size": 4, "batch": 2, "seed": 7}):
        print(batch["x"].tolist(), batch["y"].tolist())


if __name__ == "__main__":
    main()
