#!/usr/bin/env bash
# two GPUs
CUDA_VISIBLE_DEVICES=0,1 torchrun --standalone --nproc_per_node 2 train.py --gpus 2 > log.txt
sort log.txt
