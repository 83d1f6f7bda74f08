import os
import sys

import setup_ranks

if __name__ == "__main__":
    setup_ranks.prepare("--late" in sys.argv)
    print(int(os.environ["LOCAL_RANK"]))
