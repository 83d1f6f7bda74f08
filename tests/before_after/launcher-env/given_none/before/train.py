import os

if __name__ == "__main__":
    first = int(os.environ.get("LOCAL_RANK", None))
    second = int(os.getenv("LOCAL_RANK", default=None))
    print(first, second)
