import argparse
import multiprocessing
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.pool import ThreadPool

import torch
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--workers", type=int, default=0)
args = parser.parse_args([])
loader = DataLoader(TensorDataset(torch.arange(4)), batch_size=2, num_workers=0)
for (batch,) in loader:
    print(batch.tolist())
for (batch,) in DataLoader(TensorDataset(torch.arange(4)), batch_size=4, num_workers=args.workers):
    print(batch.tolist())
unused = DataLoader(TensorDataset(torch.arange(4)), num_workers=2)
print(len(unused))
with ThreadPoolExecutor(2) as executor:
    print(list(executor.map(abs, [-1, 2])))
with ThreadPool(2) as pool:
    print(pool.map(abs, [-3]))
thread = threading.Thread(target=print, args=("thread",))
thread.start()
thread.join()
process = multiprocessing.get_context("fork").Process(target=print, args=("forked",), kwargs={"flush": True})
sys.stdout.flush()
process.start()
process.join()
print(subprocess.run([sys.executable, "-c", "print('child')"], capture_output=True, text=True).stdout)
