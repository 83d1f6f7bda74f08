#!/bin/sh
# python -m torch.distributed.launch --use_env main.py   (how it was started in 2021)
DIST_ARGS="--nproc_per_node 2 --master_port $PORT"

encode() {
    nohup torchrun $DIST_ARGS \
        encode.py --output "$1" c d a b > /dev/null 2>&1 &
    wait
}

(encode shards.txt)
cat shards.txt.*
