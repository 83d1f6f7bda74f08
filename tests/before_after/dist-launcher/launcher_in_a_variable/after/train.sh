#!/usr/bin/env bash
# Größe über das erste Argument: ./train.sh 128
LAUNCHER="torchrun --nproc_per_node=2 --master_port=$PORT"
echo "starting with $LAUNCHER" >&2

$LAUNCHER -m trainer.main --size ${1:-64} || exit 1
cat log.*
