from train.base import Config, DataCore

SAMPLES = [
    {"jpg": 1.5, "txt": b"one", "old_caption": '{"og_caption": "uno"}', "caption": "eins"},
    {"jpg": 2.5, "txt": b"two", "old_caption": '{"og_caption": ""}', "caption": "zwei"},
]

if __name__ == "__main__":
    for config in (
        Config(SAMPLES),
        Config(SAMPLES, multi_aspect_ratio=[1, 2], captions_getter=["txt", "identity"]),
        Config(SAMPLES, captions_getter=["caption", "get_caption and identity"], dataset_filters=[["jpg", "abs"]]),
    ):
        for batch in DataCore(config).setup_data(float):
            print(batch)
