import options
import torch
import torch.distributed as dist


def main():
    args = options.parser().parse_args()
    if args.local_rank >= 0:
        dist.init_process_group("gloo")
    size = dist.get_world_size() if args.local_rank >= 0 else 1
    seen = torch.tensor([8 // size])
    if size > 1:
        dist.all_reduce(seen)
    if args.local_rank <= 0:
        print(f"{args.epochs} epoch: {size} ranks, {8 // size} images each, {seen.item()} in all")
    if size > 1:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
