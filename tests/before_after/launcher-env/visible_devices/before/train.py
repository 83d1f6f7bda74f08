import os

os.environ["CUDA_VISIBLE_DEVICES"] = os.environ["LOCAL_RANK"]

if __name__ == "__main__":
    print("sees GPU", os.environ["CUDA_VISIBLE_DEVICES"])
