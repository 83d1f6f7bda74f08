torchrun --nproc_per_node=2 --master_port=$PORT train.py --num_gpus 2 --port $((PORT + 1))
