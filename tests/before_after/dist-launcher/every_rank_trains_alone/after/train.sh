#!/bin/bash
# two GPUs, one node
CUDA_VISIBLE_DEVICES=0,1 torchrun --nproc_per_node 2 --master_port ${PORT:-9527} \
  train.py --batch-size 8 "$@" 2>&1 | tee train.log
