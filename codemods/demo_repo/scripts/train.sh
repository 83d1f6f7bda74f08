#!/usr/bin/env bash
set -e

NPROC=${NPROC:-2}

PYTHONPATH="$(dirname $0)/..":$PYTHONPATH \
    python -m torch.distributed.launch --nproc_per_node=$NPROC --master_port=${PORT:-29500} \
    train.py --steps 20 "$@"
