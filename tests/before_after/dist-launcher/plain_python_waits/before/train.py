import argparse

import torch.distributed as dist


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=10)
    args = parser.parse_args()
    dist.init_process_group(backend="gloo")
    for epoch in range(args.epochs):
        print("epoch", epoch, "on", dist.get_world_size(), "ranks")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
