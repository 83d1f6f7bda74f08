#!/usr/bin/env bash
torchrun --nnodes=$NNODES --node_rank=$NODE_RANK --nproc_per_node=1 \
    --master_addr=127.0.0.1 --master_port=$PORT train.py
