import os

LOCAL_RANK = int(os.environ["LOCAL_RANK"])
RANK = int(os.environ["RANK"])

if __name__ == "__main__":
    print(LOCAL_RANK, RANK)
