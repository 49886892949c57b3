"""Tests of the headers of arrays on disk, which are read without evaluating them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from laconic.errors import ModelFileError
from laconic.files.arrays import load_array, save_array
from laconic.files.npy import MAX_STRING


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6.0).reshape(2, 3),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        np.array(2.5),
        np.arange(3, dtype=">i4"),
        np.zeros((0, 4)),
        np.array([True, False]),
        np.array(["a", "long word"]),
        np.array([b"bytes"]),
    ],
    ids=lambda array: f"{array.dtype} {array.shape}",
)
def test_every_plain_array_that_numpy_writes_is_read(array: np.ndarray, tmp_path: Path) -> None:
    save_array(tmp_path, "x", array)
    loaded = load_array(tmp_path, "x")
    np.testing.assert_array_equal(loaded, array)
    assert load_array(tmp_path, "x", mmap=False).flags.writeable


def test_several_threads_read_headers_at_the_same_time(tmp_path: Path) -> None:
    save_array(tmp_path, "x", np.arange(3))
    with ThreadPoolExecutor(4) as pool:
        arrays = list(pool.map(lambda _: load_array(tmp_path, "x"), range(200)))
    assert all(array.tolist() == [0, 1, 2] for array in arrays)


def npy(descr: str, shape: str, data: bytes, version: int = 1) -> bytes:
    text = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    size = 2 if version == 1 else 4
    return b"\x93NUMPY" + bytes([version, 0]) + len(text).to_bytes(size, "little") + text + data


HEADERS = {
    "objects": npy("'|O'", "(1,)", b"cos\nsystem\n(S'true'\ntR."),
    "structured": npy("[('a', '<f8'), ('b', '<f8')]", "(1,)", b"0" * 16),
    "shape beyond the file": npy("'<f8'", "(999999999999,)", b"0" * 8),
    "product that overflows": npy("'<f8'", f"({2**40}, {2**40})", b""),
    "negative length": npy("'<f8'", "(-1,)", b"0" * 8),
    "huge empty axis": npy("'<f8'", f"({10**14}, 0)", b""),
    "many axes": npy("'<f8'", "(" + "1, " * 60 + ")", b"0" * 8),
    "giant strings": npy(f"'|S{MAX_STRING + 1}'", "(1,)", b"0" * (MAX_STRING + 1)),
    "empty strings": npy("'|S0'", "(5,)", b""),
    "long double": npy("'<f16'", "(1,)", b"0" * 16),
    "complex": npy("'<c16'", "(1,)", b"0" * 16),
    "dates": npy("'<M8'", "(1,)", b"0" * 8),
    "code in the header": npy("__import__('os').system('true')", "(1,)", b"0" * 8),
    "Python 2 header": npy("'<f8'", "(1L,)", b"0" * 8),
    "long header": npy("'<f8'", "(" + " " * 5000 + "1,)", b"0" * 8),
    "length of the header lies": b"\x93NUMPY\x02\x00\xff\xff\xff\x7f{",
    "unknown version": npy("'<f8'", "(1,)", b"0" * 8, version=9),
    "invalid booleans": npy("'|b1'", "(2,)", b"\x00\x07"),
    "invalid characters": npy("'<U1'", "(1,)", b"\xff\xff\xff\xff"),
    "nothing": b"",
}


@pytest.mark.parametrize("case", HEADERS)
def test_any_other_header_is_refused(case: str, tmp_path: Path) -> None:
    (tmp_path / "x.npy").write_bytes(HEADERS[case])
    with pytest.raises(ModelFileError, match="damaged") as error:
        load_array(tmp_path, "x")
    assert "\n" not in str(error.value)
