class Config(dict):
    def __getattr__(self, name):
        return self[name]


def log_model_params(model):
    total = 0
    trainable = 0
    for p in model.parameters():
        total += p.numel()
        if p.requires_grad:
            trainable += p.numel()
    print(f"[{model.__class__.__name__}] parameters: {total}, trainable: {trainable}")
