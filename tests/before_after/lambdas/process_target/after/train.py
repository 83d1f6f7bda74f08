import functools
import multiprocessing


def _rollout_worker(steps, env_id, queue):
    total = 0
    for step in range(steps):
        total += env_id * step
    queue.put((env_id, total))


def rollout(env_ids, steps):
    worker = functools.partial(_rollout_worker, steps)

    queue = multiprocessing.Queue()
    processes = [multiprocessing.Process(target=worker, args=(env_id, queue)) for env_id in env_ids]
    for process in processes:
        process.start()
    results = sorted(queue.get() for _ in processes)
    for process in processes:
        process.join()
    return results


if __name__ == "__main__":
    print(rollout([1, 2, 3], 4))
