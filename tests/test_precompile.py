"""Tests of `laconic.precompile`, which compiles the kernels in advance."""

from __future__ import annotations

import pytest

from laconic import precompile


@pytest.mark.parametrize("share", precompile.JOBS)
def test_a_share_of_the_work_is_quiet_and_ends_well(share, capfd):
    assert precompile.main([share]) == 0
    assert tuple(capfd.readouterr()) == ("", "")


def test_both_shares_are_done_at_once_and_failures_are_told(monkeypatch):
    monkeypatch.setattr(precompile, "JOBS", {})
    assert precompile.main([]) == 0
    monkeypatch.setattr(precompile, "JOBS", {"nothing": None})
    assert precompile.main([]) == 1  # the process that compiles does not know the job "nothing"
