from engine import Runner

if __name__ == "__main__":
    runner = Runner([1, 2, 3])
    print(runner.run())
