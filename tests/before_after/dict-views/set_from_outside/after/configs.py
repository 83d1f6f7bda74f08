class Config:
    """Attributes only."""


def build_config(ranges):
    cfg = Config()
    cfg.max_range = max(ranges.values())
    cfg.class_names = list(ranges.keys())
    return cfg
