#!/usr/bin/env bash

set -x
NGPUS=$1
PY_ARGS=${@:2}

while true
do
    PORT=$(( ((RANDOM<<15)|RANDOM) % 49152 + 10000 ))
    status="$(python -c "import socket; socket.create_connection(('127.0.0.1', $PORT))" &>/dev/null; echo $?)"
    if [ "${status}" != "0" ]; then
        break;
    fi
done
echo $PORT >&2

(
    export MASTER_ADDR=localhost MASTER_PORT=${PORT} WORLD_SIZE=${NGPUS} OMP_NUM_THREADS=${OMP_NUM_THREADS:-1}
    ranks=()
    trap 'kill "${ranks[@]}" 2> /dev/null || :' EXIT  # no rank outlives the others
    for rank in $(seq 0 $((${NGPUS} - 1))); do
        RANK=$rank LOCAL_RANK=$rank python train.py --launcher pytorch ${PY_ARGS} &
        ranks+=($!)
    done
    while wait -n; do :; done  # until one fails, or all are done
    for pid in "${ranks[@]}"; do kill "$pid" 2> /dev/null || wait "$pid" || exit; done
)
