import inspect


class DynamicItem:
    def __init__(self, takes=(), func=None, provides=()):
        self.takes = takes
        self.func = func
        self.provides = provides

    def __call__(self, *args):
        return self.func(*args)


class GeneratorItem(DynamicItem):
    pass


def takes(*keys):
    def decorator(obj):
        """Decorator definition."""
        if isinstance(obj, DynamicItem):
            if obj.takes:
                raise ValueError("Can't overwrite DynamicItem.takes")
            obj.takes = keys
            return obj
        elif inspect.isgeneratorfunction(obj):
            return GeneratorItem(takes=keys, func=obj)
        else:
            return DynamicItem(takes=keys, func=obj)

    return decorator


def provides(*keys):
    def decorator(obj):
        if isinstance(obj, DynamicItem):
            if obj.provides:
                raise ValueError("Can't overwrite DynamicItem provides-list.")
            obj.provides = keys
            return obj
        return DynamicItem(func=obj, provides=keys)

    return decorator
