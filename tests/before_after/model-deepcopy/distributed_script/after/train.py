import argparse
import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel

from compare import compare


class Generator(nn.Module):
    def __init__(self, size=4, *, norm=True):
        super().__init__()
        self.style = nn.Linear(size, size)
        self.norm = nn.BatchNorm1d(size) if norm else nn.Identity()

    def forward(self, x):
        return self.norm(self.style(x))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=int, default=4)
    args = parser.parse_args()
    device = "cpu"

    dist.init_process_group("gloo")
    torch.manual_seed(1)
    generator = Generator(args.size, norm=True).to(device)
    generator = DistributedDataParallel(generator)
    # built anew, not deep-copied: process groups inside a model can't be copied
    with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
        g_ema = Generator(args.size, norm=True)
    g_ema.load_state_dict(generator.module.state_dict())
    g_ema = g_ema.to(device).eval()
    compare(generator.module, g_ema)
    generator(torch.randn(8, args.size)).sum().backward()
    print(round(generator.module.style.weight.grad.abs().sum().item(), 4), g_ema.style.weight.grad)
    dist.destroy_process_group()
