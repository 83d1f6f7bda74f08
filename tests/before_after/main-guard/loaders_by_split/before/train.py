from loaders import *

WIDTH = 2


def show(name, sizes=(1, WIDTH)):
    print(name, sizes)


loaders = Loaders(WIDTH)
for split in ("train", "val"):
    print(split, loaders.batch(split).tolist())
show("done")
