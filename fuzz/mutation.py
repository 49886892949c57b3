"""Mutate inputs: flip bits, move and repeat parts, replace numbers, insert words."""

from __future__ import annotations

import gzip
import io
import random
import re
import zipfile
import zlib
from collections.abc import Callable, Sequence

NUMBER = re.compile(rb"-?\d+")
ODD_NUMBERS = (
    b"0", b"-1", b"1", b"2147483647", b"2147483648", b"4294967296", b"9223372036854775807",
    b"9223372036854775808", b"1000000000000000000", b"1e30", b"0.5", b"nan", b"inf", b"-0", b"",
    b"7" * 400, b"0x10", b"1_000", "٣".encode(), b"00012",
)  # fmt: skip
LONGEST = 1 << 16


def mutated(
    seeds: Sequence[bytes], dictionary: Sequence[bytes], randomness: random.Random
) -> bytes:
    """Return a seed that is changed in one to eight places."""
    seed = randomness.choice(seeds)
    packed = _unpacked(seed, randomness)
    data, pack = packed if packed is not None and randomness.random() < 0.7 else (seed, bytes)
    for _ in range(randomness.choice((1, 1, 1, 2, 3, 5, 8))):
        data = randomness.choice(STEPS)(data, seeds, dictionary, randomness)
    return pack(data[:LONGEST])


def _unpacked(
    seed: bytes, randomness: random.Random
) -> tuple[bytes, Callable[[bytes], bytes]] | None:
    """Return the contents of a gzip file or of a file in a zip file, and how to pack them."""
    try:
        if seed.startswith(b"\x1f\x8b"):
            return gzip.decompress(seed), lambda data: gzip.compress(data, 1)
        if seed.startswith(b"PK"):
            archive = zipfile.ZipFile(io.BytesIO(seed))
            name = randomness.choice(archive.namelist())
            return archive.read(name), lambda data: _packed(archive, name, data)
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile, IndexError, NotImplementedError):
        pass
    return None


def _packed(archive: zipfile.ZipFile, name: str, data: bytes) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as new:
        for other in archive.namelist():
            new.writestr(other, data if other == name else archive.read(other))
    return target.getvalue()


Step = Callable[[bytes, Sequence[bytes], Sequence[bytes], random.Random], bytes]


def _span(data: bytes, randomness: random.Random) -> tuple[int, int]:
    start = randomness.randrange(len(data) + 1)
    return start, min(start + randomness.choice((1, 1, 2, 4, 8, 32, 256)), len(data))


def flip(data: bytes, *rest: object) -> bytes:
    randomness = rest[-1]
    assert isinstance(randomness, random.Random)
    if not data:
        return data
    changed = bytearray(data)
    changed[randomness.randrange(len(data))] ^= 1 << randomness.randrange(8)
    return bytes(changed)


def odd_byte(data, seeds, dictionary, randomness):  # type: ignore[no-untyped-def]
    start = randomness.randrange(len(data) + 1)
    byte = bytes([randomness.choice((0, 9, 10, 13, 32, 34, 44, 58, 127, 128, 255))])
    return data[:start] + byte + data[start + randomness.randrange(2) :]


def remove(data, seeds, dictionary, randomness):  # type: ignore[no-untyped-def]
    start, stop = _span(data, randomness)
    return data[:start] + data[stop:]


def repeat(data, seeds, dictionary, randomness):  # type: ignore[no-untyped-def]
    start, stop = _span(data, randomness)
    return data[:stop] + data[start:stop] * randomness.choice((1, 1, 2, 50)) + data[stop:]


def cut(data, seeds, dictionary, randomness):  # type: ignore[no-untyped-def]
    return data[: randomness.randrange(len(data) + 1)]


def number(data, seeds, dictionary, randomness):  # type: ignore[no-untyped-def]
    found = list(NUMBER.finditer(data))
    if not found:
        return flip(data, randomness)
    match = randomness.choice(found)
    return data[: match.start()] + randomness.choice(ODD_NUMBERS) + data[match.end() :]


def insert(data, seeds, dictionary, randomness):  # type: ignore[no-untyped-def]
    if not dictionary:
        return flip(data, randomness)
    start, stop = _span(data, randomness)
    stop = randomness.choice((start, stop))
    return data[:start] + randomness.choice(dictionary) + data[stop:]


def splice(data, seeds, dictionary, randomness):  # type: ignore[no-untyped-def]
    other = randomness.choice(seeds)
    start, stop = _span(other, randomness)
    place = randomness.randrange(len(data) + 1)
    return data[:place] + other[start:stop] + data[place + randomness.choice((0, stop - start)) :]


STEPS: tuple[Step, ...] = (flip, flip, odd_byte, remove, repeat, cut, number, number, insert,
                           insert, splice)  # fmt: skip
