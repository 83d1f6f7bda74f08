#!/usr/bin/env bash
NGPU=${1:-2}

python \
    train.py --world-size $NGPU --port $PORT
