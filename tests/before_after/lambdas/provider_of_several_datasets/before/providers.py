class Provider:
    def __init__(self, names, mapping):
        self.names, self.mapping = names, mapping

    def __getitem__(self, index):
        name = self.names[index]
        return {kind: rename(name) for kind, rename in self.mapping.items()}

    def __len__(self):
        return len(self.names)


class CachingProvider(Provider):
    def __init__(self, names, mapping):
        super().__init__(names, mapping)
        self.cache = {}

    def __getitem__(self, index):
        if index not in self.cache:
            self.cache[index] = super().__getitem__(index)
        return self.cache[index]


class FolderProvider(Provider):
    pass
