import multiprocessing


def _settings_schedule(step, warmup=2):
    if step < warmup:
        return (step + 1) / warmup
    return 0.9 ** (step - warmup)


def settings():
    rate = 0.5
    steps = 6
    warmup = 2

    schedule = _settings_schedule

    return {name: value for name, value in locals().items() if not name.startswith("_")}


def run(options, answers):
    rates = [round(options["rate"] * options["schedule"](step), 3) for step in range(options["steps"])]
    answers.put((sorted(options), rates))


def main():
    options = settings()
    print(len(options), "settings")
    answers = multiprocessing.Queue()
    process = multiprocessing.Process(target=run, args=(options, answers))
    process.start()
    print(*answers.get())
    process.join()


if __name__ == "__main__":
    main()
