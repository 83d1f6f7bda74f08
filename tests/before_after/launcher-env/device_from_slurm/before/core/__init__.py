class WarpCore:
    def __init__(self, config_file_path=None, device=None):
        self.config_file_path = config_file_path
        self.device = device

    def __call__(self, single_gpu=False):
        if not single_gpu:
            raise SystemExit("start it under SLURM")
        print("Running in single thread, DDP not enabled.")
        print("training on", self.device)
