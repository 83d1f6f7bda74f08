"""Settings of the detection benchmark."""
from typing import Dict, List


class DetectionConfig:
    """ Data class that specifies the detection evaluation settings. """

    def __init__(self,
                 class_range: Dict[str, int],
                 dist_fcn: str,
                 dist_ths: List[float],
                 max_boxes_per_sample: int):
        assert set(class_range.keys()), "no classes given"

        self.class_range = class_range
        self.dist_fcn = dist_fcn
        self.dist_ths = dist_ths
        self.max_boxes_per_sample = max_boxes_per_sample

        self.class_names = self.class_range.keys()

    def __eq__(self, other):
        return all(getattr(self, key) == getattr(other, key) for key in self.serialize().keys())

    def serialize(self) -> dict:
        """ Serialize instance into json-friendly format. """
        return {
            'class_range': self.class_range,
            'dist_fcn': self.dist_fcn,
            'dist_ths': self.dist_ths,
            'max_boxes_per_sample': self.max_boxes_per_sample,
        }

    @classmethod
    def deserialize(cls, content: dict):
        """ Initialize from serialized dictionary. """
        return cls(content['class_range'], content['dist_fcn'], content['dist_ths'], content['max_boxes_per_sample'])
