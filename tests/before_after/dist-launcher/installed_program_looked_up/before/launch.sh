#!/bin/bash
chmod +x measure
PATH=$PWD:$PATH
OPTIONS="--nnodes=1 --node_rank=0"
SIZES="4 8"
python -m torch.distributed.launch --nproc_per_node=2 --master_port=$PORT $OPTIONS \
    $(which measure) \
    --folder . --sizes $SIZES 2> /dev/null
cat log.*
