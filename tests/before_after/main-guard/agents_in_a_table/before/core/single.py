class SingleAgent:
    def __init__(self, opt):
        self.opt = opt

    def fit_model(self):
        print("fitted", self.opt.steps)

    def test_model(self):
        print("tested", self.opt.steps)
