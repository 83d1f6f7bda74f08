import os

os.environ["CUDA_VISIBLE_DEVICES"] = os.environ.get("LOCAL_RANK", "0")

if __name__ == "__main__":
    print("sees GPU", os.environ["CUDA_VISIBLE_DEVICES"])
