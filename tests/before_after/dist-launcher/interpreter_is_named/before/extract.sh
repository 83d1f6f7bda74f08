#!/usr/bin/env bash
PYTHON=${PYTHON:-"python"}

OMP_NUM_THREADS=1 exec_dir=$(pwd) $PYTHON -u -W ignore -m torch.distributed.launch --nproc_per_node=2 --master_port=$PORT \
    $(dirname "$0")/extract.py ${@:1} && cat features.*
