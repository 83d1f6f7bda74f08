"""Run spawnfix from a checkout: `python cli.py migrate ./repo`."""

from spawnfix import program

if __name__ == "__main__":
    program()
