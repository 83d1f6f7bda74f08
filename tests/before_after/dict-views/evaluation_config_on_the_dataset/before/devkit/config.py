import json
import os

from devkit.data_classes import DetectionConfig


def config_factory(name):
    folder = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(folder, 'configs', name + '.json')) as f:
        return DetectionConfig.deserialize(json.load(f))
