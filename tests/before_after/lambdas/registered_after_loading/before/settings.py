import importlib.util


def settings_of(path):
    spec = importlib.util.spec_from_file_location("settings_of_the_user", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return dict(module.SIZE), module.SIZE, module.count()
