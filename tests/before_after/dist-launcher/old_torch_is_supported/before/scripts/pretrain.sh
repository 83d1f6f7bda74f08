#!/bin/bash
ROOT=$(cd "$(dirname "$0")"/.. && pwd)
GPUS=2
export CUDA_VISIBLE_DEVICES=0,1

python3 -m torch.distributed.launch \
    --nproc_per_node ${GPUS} \
    --master_port ${PORT} \
    ${ROOT}/pretrain.py --lr 0.1 \
    2> pretrain.log || { cat pretrain.log >&2; exit 1; }
