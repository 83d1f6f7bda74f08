from copy import deepcopy


class Registry:
    def __init__(self):
        self.builders = {}

    def register(self, builder):
        self.builders[builder.__name__] = builder
        return builder

    def build(self, cfg):
        kwargs = dict(cfg)
        return self.builders[kwargs.pop("type")](**kwargs)


MODELS = Registry()


def build_module(module, builder, **kwargs):
    """Build a module from its config."""
    if module is None:
        return None
    cfg = deepcopy(module)
    for k, v in kwargs.items():
        cfg[k] = v
    return builder.build(cfg)
