import os

device = f'cuda:{os.environ["LOCAL_RANK"]}'
cache = "cache_" + os.environ['LOCAL_RANK']

if __name__ == "__main__":
    print(device, cache, len(cache))
