import os


class Registry:
    roots = {"cache": "cache"}

    @classmethod
    def root(cls, name):
        return cls.roots.get(name, ".")


registry = Registry()


def cache_path(name):
    """Below the folder of caches."""
    return os.path.join(registry.root("cache"), name)
