"""Tests of the order in which statistics are merged."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from laconic.engines.tree import (
    MAX_GROUP,
    MAX_GROUPS,
    MIN_GROUP,
    chunks_per_group,
    group_size,
    merge_chunks,
    merge_groups,
    subtrees,
)


class Written(str):
    """Statistics that record the order of merging, as in ``((0+1)+2)``."""

    def merge(self, other):
        return Written(f"({self}+{other})")

    def copy(self):
        return self


def written(numbers):
    return (Written(number) for number in numbers)


def test_groups_from_left_to_right_and_then_a_tree():
    assert merge_chunks(written(range(1)), 3) == "0"
    assert merge_chunks(written(range(3)), 3) == "((0+1)+2)"
    assert merge_chunks(written(range(5)), 2) == "(((0+1)+(2+3))+4)"
    assert merge_chunks(written(range(7)), 1) == "(((0+1)+(2+3))+((4+5)+6))"


@given(n_groups=st.integers(1, 70), n_tasks=st.integers(1, 40))
def test_sums_of_subtrees_give_the_same_tree(n_groups, n_tasks):
    trees = subtrees(n_groups, n_tasks)
    assert [group for tree in trees for group in tree] == list(range(n_groups))
    assert len(trees) >= min(n_tasks, n_groups)
    assert len(trees) < 2 * n_tasks + 1
    parts = (merge_groups(written(tree)) for tree in trees)
    assert merge_groups(parts) == merge_groups(written(range(n_groups)))


@given(n_statistics=st.integers(1, 10**9), n_nonzeros=st.integers(0, 10**10))
def test_a_group_has_half_as_many_entries_as_statistics(n_statistics, n_nonzeros):
    n_chunks = -(-n_nonzeros // 400_000)
    size = group_size(n_statistics, n_nonzeros, n_chunks)
    assert MIN_GROUP <= size <= MAX_GROUP
    if n_chunks and size < MAX_GROUP:
        assert 2 * size * (n_nonzeros / n_chunks) >= n_statistics


def test_many_chunks_do_not_make_many_groups():
    assert chunks_per_group(8, 100) == 7
    n_chunks = 1_000_003
    assert -(-n_chunks // chunks_per_group(8, n_chunks)) <= MAX_GROUPS
