import os
import sys
from copy import deepcopy

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))

import torch
import torch.distributed as dist

from sora.checkpoint import set_grad_checkpoint
from sora.compare import compare
from sora.registry import MODELS, build_module
from sora.utils import Config, log_model_params
import sora.models  # noqa: F401  (registers)


def main():
    # == init ==
    dist.init_process_group("gloo")
    torch.manual_seed(1024)
    cfg = Config(
        model=dict(type="MMDiT", hidden_size=8, depth=2),
        ema_decay=0.999,
        grad_checkpoint=True,
    )
    dtype = torch.bfloat16

    # == build model ==
    model = build_module(cfg.model, MODELS, torch_dtype=dtype).train()
    if cfg.get("grad_checkpoint", True):
        set_grad_checkpoint(model)
    log_model_params(model)

    # == build EMA model ==
    if cfg.get("ema_decay", None) is not None:
        ema = deepcopy(model).cpu().eval().requires_grad_(False)
        print("EMA model created.")
    else:
        ema = None

    compare(model, ema)
    print("flags", [getattr(m, "grad_checkpointing", None) for m in ema.modules()])
    update_ema(ema, model, decay=cfg.ema_decay)
    x = torch.ones(1, 8, dtype=dtype)
    print("forward", [round(v, 4) for v in ema(x).float().flatten().tolist()])
    dist.destroy_process_group()


@torch.no_grad()
def update_ema(ema, model, decay):
    for ours, theirs in zip(ema.parameters(), model.parameters()):
        ours.mul_(decay).add_(theirs.cpu(), alpha=1 - decay)


if __name__ == "__main__":
    main()
