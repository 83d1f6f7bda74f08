import os


class Settings:
    gpu = int(os.environ["OMPI_COMM_WORLD_LOCAL_RANK"])
    name = "small"


if __name__ == "__main__":
    print(Settings.name, "on GPU", Settings.gpu)
