#!/usr/bin/env bash
# two GPUs
CUDA_VISIBLE_DEVICES=0,1 python train.py --gpus 2 > log.txt
sort log.txt
