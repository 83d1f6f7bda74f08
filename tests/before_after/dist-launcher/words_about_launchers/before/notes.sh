#!/usr/bin/env bash
# python -m torch.distributed.launch --nproc_per_node=8 train.py
deepspeed() { echo "deepspeed $*"; }
accelerate() { echo "accelerate $*"; }

echo "python -m torch.distributed.launch --nproc_per_node=8 train.py" is how it was started before
echo python -m torch.distributed.launch train.py
cat <<EOF
#!/bin/bash
python -m torch.distributed.launch --nproc_per_node=8 train.py --use_env
EOF
if pgrep -f torch.distributed.launch.train.py.that.is.not.there; then pkill -f "python -m torch.distributed.launch"; fi
shift_bits=$((1<<4))
deepspeed --num_gpus 2 train.py --module torch.distributed.launch
accelerate launch --num_processes 2 train.py
