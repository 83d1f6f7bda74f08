from typing import Dict


class ClassMapper:
    def __init__(self, taxonomy):
        self.taxonomy = taxonomy
        self.things = self.get_things()
        self.stuff = self.get_stuff()

    def get_things(self) -> Dict[str, int]:
        return {name: i for i, (name, kind) in enumerate(self.taxonomy) if kind == 'thing'}

    def get_stuff(self) -> Dict[str, int]:
        return {name: i for i, (name, kind) in enumerate(self.taxonomy) if kind == 'stuff'}
