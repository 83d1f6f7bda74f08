import os

import torch


def main():
    local_rank = int(os.environ.get("LOCAL_RANK", 0))
    device = torch.device("cuda", local_rank) if torch.cuda.is_available() else torch.device("cpu")
    weight = torch.ones(3, device=device) * (local_rank + 1)
    print(weight.sum().item())


if __name__ == "__main__":
    main()
