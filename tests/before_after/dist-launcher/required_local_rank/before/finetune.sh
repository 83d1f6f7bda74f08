#!/usr/bin/env bash
torchrun --nproc-per-node=2 --master-port=$PORT finetune.py --lr 0.5 || exit 1
cat finetune.*.log
