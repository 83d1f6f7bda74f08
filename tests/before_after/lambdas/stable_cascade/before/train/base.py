import json
from abc import abstractmethod
from dataclasses import dataclass

from core.data import Loader, MultiFilter, MultiGetter, Pipeline


@dataclass(frozen=True)
class Config:
    samples: list
    multi_aspect_ratio: list = None
    captions_getter: list = None
    dataset_filters: list = None


class DataCore:
    def __init__(self, config):
        self.config = config

    @abstractmethod
    def forward(self, batch):
        raise NotImplementedError

    def webdataset_preprocessors(self, transforms):
        def identity(x):
            if isinstance(x, bytes):
                x = x.decode('utf-8')
            return x

        # CUSTOM CAPTIONS GETTER -----
        def get_caption(oc, c, p_og=0.05):  # cog_contexual, cog_caption
            if p_og > 0 and len(oc) > 0:
                return identity(oc)
            else:
                return identity(c)

        captions_getter = MultiGetter(rules={
            ('old_caption', 'caption'): lambda oc, c: get_caption(json.loads(oc)['og_caption'], c, p_og=0.05)
        })

        return [
            ('jpg', transforms, 'images'),
            ('txt', identity, 'captions') if self.config.captions_getter is None else (
                self.config.captions_getter[0], eval(self.config.captions_getter[1]), 'captions'),
            ('*', captions_getter, 'old_captions'),
        ]

    def setup_data(self, transforms):
        # SETUP DATASET
        preprocessors = self.webdataset_preprocessors(transforms)

        dataset = Pipeline(
            self.config.samples
        ).select(
            MultiFilter(rules={
                f[0]: eval(f[1]) for f in self.config.dataset_filters
            }) if self.config.dataset_filters is not None else lambda _: True
        ).to_tuple(
            *[p[0] for p in preprocessors]
        ).map_tuple(
            *[p[1] for p in preprocessors]
        ).map(lambda x: {p[2]: x[i] for i, p in enumerate(preprocessors)})

        def identity(x):
            return x

        # SETUP DATALOADER
        dataloader = Loader(
            dataset, collate_fn=identity if self.config.multi_aspect_ratio is not None else None
        )
        return iter(dataloader)
