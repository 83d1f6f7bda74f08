torchrun --nproc_per_node=2 --master_port=$PORT train.py
