from multiprocessing import Pool


class Searcher:
    def __init__(self, grid):
        self.grid = grid
        self.calls = 0

    def cost(self, point):
        return abs(point - self.grid[-1])

    def best(self, points, power=2):
        self.calls += 1
        with Pool(2) as pool:
            costs = pool.map(lambda point: self.cost(point) ** power, points)
        return points[costs.index(min(costs))]

    def all_costs(self):
        def cost_of(index):
            """The cost of one point of the grid."""
            return self.cost(self.grid[index])

        with Pool(2) as pool:
            return list(pool.imap(cost_of, range(len(self.grid))))


class Verbose(Searcher):
    def cost(self, point):
        return 2 * super().cost(point)


if __name__ == "__main__":
    print(Searcher([1, 5, 9]).best([2, 8, 11]), Verbose([1, 5, 9]).all_costs())
