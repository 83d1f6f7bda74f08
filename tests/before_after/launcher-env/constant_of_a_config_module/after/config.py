import os

BATCH_SIZE = 16
LOCAL_RANK = int(os.environ.get("LOCAL_RANK", 0))
DEVICE = "cuda:%d" % LOCAL_RANK
