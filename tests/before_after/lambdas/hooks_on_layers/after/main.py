"""Shapes of what goes through the layers, evaluated in a process of its own."""
import functools
import multiprocessing as mp

import torch
from torch import nn


class Recorder:
    def __init__(self):
        self.shapes = []


def _watch_note(recorder, module, args, output):
    recorder.shapes.append(tuple(output.shape))
    return output + len(recorder.shapes)


def watch(model, recorder):
    note = functools.partial(_watch_note, recorder)

    return [layer.register_forward_hook(note) for layer in model if isinstance(layer, nn.Linear)]


def evaluate(model, recorder, queue):
    with torch.no_grad():
        total = model(torch.zeros(1, 2)).sum().item()
    queue.put((total, recorder.shapes))


def main():
    model = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
    for parameter in model.parameters():
        nn.init.zeros_(parameter)
    recorder = Recorder()
    handles = watch(model, recorder)
    queue = mp.SimpleQueue()
    process = mp.Process(target=evaluate, args=(model, recorder, queue))
    process.start()
    print("child:", queue.get(), "parent:", recorder.shapes)
    process.join()
    handles[0].remove()
    with torch.no_grad():
        print("one left:", model(torch.zeros(1, 2)).item(), recorder.shapes)


if __name__ == "__main__":
    main()
