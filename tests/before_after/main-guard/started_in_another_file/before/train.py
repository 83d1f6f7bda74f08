from engine import Runner

runner = Runner([1, 2, 3])
print(runner.run())
