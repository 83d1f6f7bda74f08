import os

if __name__ == "__main__":
    first = int(os.environ.get("LOCAL_RANK", 0))
    second = int(os.getenv("LOCAL_RANK", default=0))
    print(first, second)
