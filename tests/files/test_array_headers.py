"""Tests of arrays on disk that several threads open at the same time."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from laconic.files.arrays import load_array, save_array


def test_headers_are_parsed_one_at_a_time(tmp_path, monkeypatch):
    save_array(tmp_path, "x", np.arange(3))
    inside, most = 0, 0
    opened = np.lib.format.open_memmap

    def slow(*arguments, **options):
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        time.sleep(0.01)
        array = opened(*arguments, **options)
        inside -= 1
        return array

    monkeypatch.setattr(np.lib.format, "open_memmap", slow)
    with ThreadPoolExecutor(4) as pool:
        arrays = list(pool.map(lambda _: load_array(tmp_path, "x"), range(8)))
    assert all(array.tolist() == [0, 1, 2] for array in arrays)
    assert most == 1
