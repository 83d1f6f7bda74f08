from core import WarpCore

if __name__ == "__main__":
    core = WarpCore()
    core.setup_ddp("exp0", single_gpu=False)
    print(core.device)
