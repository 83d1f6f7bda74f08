import os


def init_process_group(backend, rank, world_size):
    print("joined", backend, rank, world_size)


class WarpCore:
    def setup_ddp(self, experiment_id, single_gpu=False):
        if not single_gpu:
            local_rank = int(os.environ.get("SLURM_LOCALID", os.environ.get("LOCAL_RANK", 0)))
            process_id = int(os.environ.get("SLURM_PROCID", os.environ.get("RANK")))
            world_size = int(os.environ.get("SLURM_NNODES", os.environ.get("GROUP_WORLD_SIZE")))

            self.is_main_node = process_id == 0
            self.device = f"cuda:{local_rank}"
            init_process_group(backend="nccl", rank=process_id, world_size=world_size)
            print(f"[GPU {process_id}] READY")
        else:
            print("Running in single thread, DDP not enabled.")
