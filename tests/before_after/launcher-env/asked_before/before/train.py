import argparse
import os


def init_distributed_mode(args):
    if 'RANK' in os.environ and 'WORLD_SIZE' in os.environ:
        args.rank = int(os.environ["RANK"])
        args.world_size = int(os.environ['WORLD_SIZE'])
        args.gpu = int(os.environ['LOCAL_RANK'])
    elif 'SLURM_PROCID' in os.environ:
        args.rank = int(os.environ['SLURM_PROCID'])
        args.gpu = int(os.environ['SLURM_LOCALID'])
    else:
        print('Not using distributed mode')
        args.distributed = False
        return
    args.distributed = True


def first_device(args):
    if not args.distributed:
        return "cpu"
    return f"cuda:{int(os.environ['LOCAL_RANK'])}"


def rank_or_none():
    return int(os.environ["RANK"]) if "RANK" in os.environ else None


def init_dist(launcher):
    if launcher == 'pytorch':
        set_device()


def set_device():
    print(int(os.environ['LOCAL_RANK']))


if __name__ == "__main__":
    args = argparse.Namespace(launcher="none")
    init_distributed_mode(args)
    init_dist(args.launcher)
    print(first_device(args), rank_or_none())
    if args.launcher != "none":
        print(os.environ["LOCAL_RANK"])
    print("LOCAL_RANK" in os.environ and int(os.environ["LOCAL_RANK"]) > 0)
