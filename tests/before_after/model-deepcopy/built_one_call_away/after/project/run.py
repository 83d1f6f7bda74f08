import os
from argparse import Namespace

import torch
import torch.distributed as dist

from .compare import compare
from .nets import create_model


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(5)
    args = Namespace(width=6, dropout=0.1, device="cpu", ema=True)
    tp_group = None if os.environ.get("NO_GROUP") else dist.new_group([0, 1])
    model = create_model(args, tp_group)
    model = model.to(args.device).train()
    model.load_state_dict(model.state_dict())
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

    ema_model = None
    if args.ema:
        # built anew, not deep-copied: process groups inside a model can't be copied
        with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
            ema_model = create_model(args, tp_group).to(args.device)
        ema_model.load_state_dict(model.state_dict())
        ema_model = ema_model.eval()
        for p in ema_model.parameters():
            p.requires_grad_(False)
    compare(model, ema_model)
    print(len(optimizer.param_groups[0]["params"]))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
