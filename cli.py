"""Run spawnfix from a checkout: `python cli.py migrate ./repo`."""

from spawnfix import main

if __name__ == "__main__":
    main()
