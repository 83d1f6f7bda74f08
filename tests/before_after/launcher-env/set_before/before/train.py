import os

if 'LOCAL_RANK' not in os.environ:
    os.environ['LOCAL_RANK'] = str(0)
os.environ.setdefault("SLURM_LOCALID", "0")

if __name__ == "__main__":
    print(int(os.environ["LOCAL_RANK"]), int(os.environ["SLURM_LOCALID"]))
    print(int(os.environ.get("LOCAL_PROCESS_INDEX", 0)), os.environ.get("MPI_LOCALRANKID"))
    settings = {"LOCAL_RANK": 5}
    print(int(settings["LOCAL_RANK"]))
