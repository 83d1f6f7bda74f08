import os


def main():
    rank = int(os.environ["RANK"])
    world_size = int(os.environ["WORLD_SIZE"])
    local_rank = int(os.environ["LOCAL_RANK"])
    print("distributed:", rank, world_size, local_rank)


if __name__ == "__main__":
    main()
