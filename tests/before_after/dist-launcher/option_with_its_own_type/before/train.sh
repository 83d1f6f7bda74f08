#!/bin/bash
python -m torch.distributed.launch --nproc_per_node=2 --master_port=$PORT train.py "$@" 2> /dev/null
cat log.*
