CONFIGS = [["shared", 1], ["single", 1]]


class Options:
    def __init__(self):
        self.kind, self.mode = CONFIGS[0]
        self.steps = 3
