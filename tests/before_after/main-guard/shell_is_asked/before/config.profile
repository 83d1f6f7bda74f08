DATA_ROOT=data/cityscapes
