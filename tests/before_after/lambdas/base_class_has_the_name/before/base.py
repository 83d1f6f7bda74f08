class Base:
    def _count_in_worker(self):
        return "of the base class"
