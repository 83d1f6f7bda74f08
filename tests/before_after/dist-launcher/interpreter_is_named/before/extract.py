import argparse
import os


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dump", default="features")
    args = parser.parse_args()
    local_rank = int(os.environ["LOCAL_RANK"])
    with open(f"{args.dump}.{local_rank}", "w") as file:
        print(f"features of GPU {local_rank}, {os.environ['LOCAL_WORLD_SIZE']} in all", file=file)


main()
