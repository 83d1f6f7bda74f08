#!/usr/bin/env bash
torchrun --nproc_per_node=2 --master_port=$PORT encode.py --output out c d a b || exit 1
cat out.*
