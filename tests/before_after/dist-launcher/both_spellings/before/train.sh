python -m torch.distributed.launch --nproc_per_node=2 --master_port=$PORT train.py --epochs 1 2> log.txt || { cat log.txt >&2; exit 1; }
