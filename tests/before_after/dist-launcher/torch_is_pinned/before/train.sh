#!/bin/bash
python -m torch.distributed.launch --nproc_per_node=2 --master_port=$PORT --use_env train.py "$@" 2> /dev/null
cat log.*
