deepspeed --num_gpus 2 --master_port $PORT finetune.py --lr 1e-4
