import os
import tempfile

from torch.utils.data import DataLoader

from features import Features


def main():
    os.environ["PARENT"] = str(os.getpid())
    with tempfile.TemporaryDirectory() as root:
        for number in range(2):
            with open(os.path.join(root, f"train{number}.txt"), "wb") as file:
                file.write(b"first of %d\r\nsecond of %d\r\n" % (number, number))
        data = Features(root, "train")
        with open(os.path.join(root, "train9.txt"), "w") as file:
            file.write("this came later\nand this\n")
        for lines in DataLoader(data, num_workers=1):
            print(lines)


if __name__ == "__main__":
    main()
