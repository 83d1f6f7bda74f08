import os

device = f'cuda:{os.environ.get("LOCAL_RANK", "0")}'
cache = "cache_" + os.environ.get('LOCAL_RANK', '0')

if __name__ == "__main__":
    print(device, cache, len(cache))
