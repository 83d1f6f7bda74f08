"""Where a value gets to is followed as far as somebody asks."""

from __future__ import annotations

from spawnfix.flow.solve.heap import FOREIGN, Heap, Value
from spawnfix.flow.solve.paths import MAX_STATES, Paths


def chain(length: int) -> tuple[Heap, int]:
    """Nodes 0, 1, 2 ... with a value that goes from each to the next, and one more node that nothing leads to."""
    heap = Heap(lambda value: False)
    heap.add_file(0, [1] * (length + 1), [""] * (length + 1))
    number = heap.number(Value(FOREIGN, "torch.nn"))
    for node in range(length):
        heap.add(node, number, node - 1)
    for node in range(length - 1):
        heap.edge(node, node + 1, 1)
    return heap, number


def test_what_is_near_costs_little() -> None:
    heap, number = chain(1000)
    paths = Paths(heap, number, [0])
    assert paths.lead_to(3)
    assert len(paths.found) < 100


def test_what_is_far_is_found_and_what_is_apart_is_not() -> None:
    heap, number = chain(1000)
    paths = Paths(heap, number, [0])
    assert paths.meet({999, 1000})
    assert not paths.lead_to(1000)
    assert paths.complete
    assert len(paths.found) == 1000


def test_what_is_asked_for_later_is_found_too() -> None:
    heap, number = chain(1000)
    paths = Paths(heap, number, [0])
    assert [paths.lead_to(node) for node in (500, 600, 1000, 999)] == [True, True, False, True]
    assert paths.complete


def test_too_many_paths_are_given_up() -> None:
    heap, number = chain(MAX_STATES + 10)
    paths = Paths(heap, number, [0])
    assert paths.lead_to(MAX_STATES // 2)
    assert not paths.lead_to(MAX_STATES + 5)
    assert not paths.complete
    assert paths.found == set(range(MAX_STATES))


def test_a_call_is_left_where_it_was_entered() -> None:
    heap, number = chain(1)
    one, other, parameter = (heap.node("", 0, 1) for _ in range(3))
    heap.edge(0, parameter, 1, 7)
    heap.edge(parameter, one, 1, -7)
    heap.edge(parameter, other, 1, -8)
    paths = Paths(heap, number, [0])
    assert paths.lead_to(one)
    assert not paths.lead_to(other)


def test_a_function_is_left_by_a_value_that_did_not_enter_it_by_a_call() -> None:
    heap, number = chain(1)
    parameter, captured, result, other = (heap.node("", 0, 1) for _ in range(4))
    heap.edge(0, parameter, 1, 7)
    heap.edge(parameter, captured, 1)
    heap.edge(captured, result, 1, -8)
    heap.edge(parameter, other, 1, -7)
    heap.edge(parameter, other, 1, -9)
    paths = Paths(heap, number, [0])
    assert paths.lead_to(result)
    assert paths.lead_to(other)


def test_a_value_begins_where_no_edge_brings_it() -> None:
    heap, number = chain(5)
    assert heap.origins() == {number: [0]}
    other = heap.number(Value(FOREIGN, "torch.optim"))
    heap.add(3, other)
    heap.add(2, other, 3)  # against the edge
    assert heap.origins() == {number: [0], other: [2, 3]}


def test_a_result_goes_back_to_the_call_that_was_entered_alone() -> None:
    heap, number = chain(1)
    parameter, *results = (heap.node("", 0, 1) for _ in range(1001))
    heap.edge(0, parameter, 1, 500)
    for site, result in enumerate(results, 1):
        heap.edge(parameter, result, 1, -site)
    heap.settle()
    assert heap.way_back(parameter, 500) == [results[499]]
    assert Paths(heap, number, [0]).lead_to(results[499])
    assert not Paths(heap, number, [0]).lead_to(results[500])


def test_a_result_that_goes_elsewhere_too_has_no_one_way_back() -> None:
    heap, _ = chain(1)
    parameter, result, other = (heap.node("", 0, 1) for _ in range(3))
    heap.edge(0, parameter, 1, 7)
    heap.edge(parameter, result, 1, -7)
    heap.edge(parameter, other, 1)
    heap.settle()
    assert heap.way_back(parameter, 7) is None
    assert heap.returns_to(parameter, 7) and not heap.returns_to(parameter, 8)
