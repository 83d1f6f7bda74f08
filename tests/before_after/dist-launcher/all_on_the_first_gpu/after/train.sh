#!/usr/bin/env bash
export OMP_NUM_THREADS=1
exec torchrun --nnodes=1 --nproc_per_node=2 --master_port="${PORT}" train.py --lr 0.1
