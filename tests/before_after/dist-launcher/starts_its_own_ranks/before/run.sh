#!/usr/bin/env bash
NGPU=${1:-2}

python -m torch.distributed.launch \
    --nproc_per_node=$NGPU \
    --master_port=$((PORT + 1)) \
    train.py --world-size $NGPU --port $PORT
