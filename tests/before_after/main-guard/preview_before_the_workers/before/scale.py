import os
from multiprocessing import Pool

RECORDS = [1, 2, 3]

# a first look at the records
with open("preview.txt", "a") as preview:
    for record in RECORDS:
        preview.write(f"record {record}\n")

# what the workers need
SCALE = int(os.environ.get("SCALE", "2"))


def work(record):
    return record * SCALE


if __name__ == "__main__":
    with Pool(2) as pool:
        print(pool.map(work, RECORDS, chunksize=1))
    with open("preview.txt") as preview:
        print(len(preview.read().splitlines()), "lines of the preview")
