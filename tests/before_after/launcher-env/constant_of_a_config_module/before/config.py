import os

BATCH_SIZE = 16
LOCAL_RANK = int(os.environ["LOCAL_RANK"])
DEVICE = "cuda:%d" % LOCAL_RANK
