import os


def main():
    local_rank = os.environ.get("LOCAL_RANK", "0")
    seed = 42 + int(local_rank)
    print("seed", seed, "device", int(local_rank))


if __name__ == "__main__":
    main()
