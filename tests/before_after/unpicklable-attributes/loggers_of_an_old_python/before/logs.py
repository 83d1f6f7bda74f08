import logging


def get_root_logger(name="mm"):
    logger = logging.getLogger(name)
    logger.addHandler(logging.StreamHandler())
    return logger
