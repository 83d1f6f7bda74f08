import os
from multiprocessing import Pool

from tools.paths import cache_path


def fetch(url):
    return os.path.join(storage_dir, os.path.basename(url))


# storage dir
name = "nocaps"
storage_dir = cache_path(name)
storage_dir = os.path.join(storage_dir, "images")

if __name__ == "__main__":
    os.makedirs("tmp", exist_ok=True)

    # make sure that it exists
    os.makedirs(storage_dir, exist_ok=True)
    with Pool(2) as pool:
        for path in pool.imap(fetch, ["https://host/a.jpg", "https://host/b.jpg"]):
            print(path)
