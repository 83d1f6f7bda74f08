#!/usr/bin/env bash
set -e
CUDA_VISIBLE_DEVICES=0,1 python -u train.py --epochs 3 2>&1 | tee train.log
exit ${PIPESTATUS[0]}
