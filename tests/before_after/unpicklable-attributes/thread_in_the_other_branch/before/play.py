import multiprocessing
import queue
import threading


class Player:
    """Plays in a process of its own, or in a thread when it is told so."""

    def __init__(self, name, in_process):
        self.name = name
        if in_process:
            self.tasks, self.results = multiprocessing.JoinableQueue(), multiprocessing.Queue()
            self.runner = multiprocessing.Process(target=self.play)
        else:
            self.tasks, self.results = queue.Queue(), queue.Queue()
            self.runner = threading.Thread(target=self.play)
        self.runner.start()

    def play(self):
        for move in iter(self.tasks.get, None):
            self.results.put(f"{self.name} moves {move}")


def main():
    for in_process in (True, False):
        player = Player("ada" if in_process else "bob", in_process)
        player.tasks.put(3)
        print(player.results.get())
        player.tasks.put(None)
        player.runner.join()


if __name__ == "__main__":
    main()
