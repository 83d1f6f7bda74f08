import functools


def logged(function):
    @functools.wraps(function)
    def wrapper(*args):
        result = function(*args)
        return result

    return wrapper


def repeated(times):
    def decorate(function):
        @functools.wraps(function)
        def again(value):
            for _ in range(times):
                value = function(value)
            return value

        return again

    return decorate
