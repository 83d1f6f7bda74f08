#!/usr/bin/env bash

CFG=$1
GPUS=$2
PORT=${PORT:-28596}

PYTHONPATH="$(dirname $0)/..":$PYTHONPATH \
python -m torch.distributed.run \
    --nproc_per_node=${GPUS} \
    --master_port=${PORT} \
    $(dirname "$0")/test.py \
    --launcher pytorch \
    $CFG \
    ${@:3}
cat results.*
