"""What is fuzzed: each target writes some bytes to a file, and reads the file.

An input of a target that reads a folder starts with a byte that chooses the file of the folder that
the other bytes replace.
"""

from __future__ import annotations

import logging
import shutil
import warnings
import zlib
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import laconic
from laconic.errors import LaconicError
from laconic.io.formats import READERS, TEXTS, detect
from laconic.io.gene_sets import read_gmt
from laconic.io.options import Options
from laconic.io.seed_files import read_seeds
from laconic.io.source import Source

SEEDS = Path(__file__).parent / "seeds"
FOUND = Path(__file__).parent / "found"


@dataclass(frozen=True)
class Target:
    """A reader.

    Attributes
    ----------
    name : str
    file : str
        Name of the file or folder that is read. The seeds are in ``seeds/NAME``.
    read : callable
        Takes the path. May raise only LaconicError.
    dictionary : tuple of bytes
        Parts of inputs that are inserted by mutation.
    folder : bool
        Whether the target reads a folder.
    weight : float
        Share of the inputs of a campaign.
    """

    name: str
    file: str
    read: Callable[[Path], Any]
    dictionary: tuple[bytes, ...] = ()
    folder: bool = False
    weight: float = 4

    def seeds(self) -> list[bytes]:
        """Return the seeds as inputs."""
        home = SEEDS / self.name
        if not self.folder:
            return [path.read_bytes() for path in sorted(home.iterdir())]
        return [bytes([number]) + path.read_bytes() for number, path in enumerate(_files(home))]

    def prepare(self, home: Path) -> Path:
        """Copy what does not change to a folder; return the path that is read."""
        path = home / self.file
        if self.folder:
            if path.exists():
                shutil.rmtree(path)
            shutil.copytree(SEEDS / self.name, path)
        return path

    def run(self, data: bytes, path: Path) -> bool:
        """Read an input; return False if it is refused with a clear error."""
        if self.folder:
            names = [file.relative_to(SEEDS / self.name) for file in _files(SEEDS / self.name)]
            changed = path / names[data[0] % len(names)] if data else path / names[0]
            before = changed.read_bytes()
            changed.write_bytes(data[1:])
            try:
                return self._read(path)
            finally:
                changed.write_bytes(before)
        path.write_bytes(data)
        return self._read(path)

    def _read(self, path: Path) -> bool:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.read(path)
        except LaconicError as error:
            if not str(error):
                raise AssertionError("an error without a message") from error
            return False
        return True


@cache
def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def _texts(path: Path) -> None:
    """Read texts; count the words of one input in eight, because counting takes most of the time.

    The target ``texts`` counts the words of all inputs.
    """
    if zlib.crc32(path.read_bytes()) % 8 == 0:
        _use(laconic.read(path, stop_words=None, n_jobs=1))
        return
    with closing(Source(path)) as source:
        format = detect(source)
        if format not in TEXTS:
            _use(READERS[format](source, Options()))
            return
        rows, _ = TEXTS[format](source, Options())
        for row in rows:
            assert isinstance(row.text, str)


def _counts(format: str | None = None) -> Callable[[Path], Any]:
    return lambda path: _use(laconic.read(path, format=format))


def _use(corpus: laconic.Corpus) -> None:
    """Use what was read, so that wrong indices are noticed."""
    counts = corpus.counts
    assert counts.shape[0] == len(corpus)
    if counts.nnz:
        assert counts.indices.min() >= 0
        assert counts.indices.max() < counts.shape[1]
        assert counts.data.min() >= 0
    for values in (corpus.ids, corpus.titles, corpus.labels, corpus.texts):
        assert values is None or len(values) == len(corpus)
    if corpus.vocabulary is not None:
        assert len(corpus.vocabulary) == counts.shape[1]


def _load(path: Path) -> None:
    laconic.describe(path)
    laconic.load(path)


def _read_vocabulary(path: Path) -> None:
    _use(laconic.read(["the cat sat", "a dog"], vocabulary=path, n_jobs=1))


def _count_words(path: Path) -> None:
    text = path.read_bytes().decode("utf-8", "surrogateescape")
    texts = text.split("\n\n")
    _use(laconic.Vectorizer(n_jobs=1, stop_words=None).fit_transform(texts))


@cache
def _index() -> laconic.SearchIndex:
    return laconic.search(laconic.load(SEEDS / "index.model"))


def _query(path: Path) -> None:
    text = path.read_bytes().decode("utf-8", "surrogateescape")
    _index().query(text)
    _index().unknown(text)


NUMBERS = (b"0", b"-1", b"1e308", b"nan", b"inf", b"99999999999", b"1000000000000000000", b"1:1")
JSON = (b'{"', b'":', b"[", b"]", b"{", b"}", b"null", b'"text"', b'"id"', b"\\ud800", b"1e999")
CSV = (b",", b";", b'"', b'""', b"\r\n", b"\t", b"text", b"id", b"NA", b"\xef\xbb\xbf", b"\0")
XML = (b"<row>", b"<c>", b"<v>", b"</", b"r=", b"A1", b'"', b"<sheetData>", b"<t>", b"&amp;")
MARKET = (b"%%MatrixMarket", b"array", b"coordinate", b"real", b"pattern", b"complex",
          b"symmetric", b"skew-symmetric", b"hermitian", b"integer", *NUMBERS)  # fmt: skip

TARGETS = [
    Target("lines", "a.txt", _texts, (b"\xff", b"\0", b"\r", b"\xef\xbb\xbf"), weight=8),
    Target("csv", "a.csv", _texts, CSV, weight=12),
    Target("tsv", "a.tsv", _texts, CSV, weight=8),
    Target("json", "a.json", _texts, JSON, weight=14),
    Target("jsonl", "a.jsonl", _texts, JSON, weight=14),
    Target("parquet", "a.parquet", _texts, NUMBERS, weight=1.5),
    Target("excel", "a.xlsx", _texts, XML, weight=1),
    Target("matrix", "a.csv", _counts("matrix"), (*CSV, *NUMBERS), weight=8),
    Target("gzip", "a.txt.gz", _texts, (b"\x1f\x8b\x08", b"\0"), weight=6),
    Target("uci", "docword.a.txt", _counts(), NUMBERS, weight=8),
    Target("ldac", "a.ldac", _counts(), NUMBERS, weight=9),
    Target("svmlight", "a.svm", _counts(), (*NUMBERS, b"qid:1", b"#"), weight=8),
    Target("matrixmarket", "a.mtx", _counts(), MARKET, weight=14),
    Target("10x", "10x", _counts(), MARKET, folder=True, weight=1.5),
    Target("h5ad", "a.h5ad", _counts(), weight=0.03),
    Target("detect", "a", _texts, (*JSON, *CSV, *NUMBERS, *MARKET, b"PAR1", b"PK"), weight=6),
    Target("gmt", "a.gmt", read_gmt, (b"\t", b"\n", b"\xff"), weight=20),
    Target("seeds", "a.txt", read_seeds, (b":", b"\n", b"- ", b"#"), weight=20),
    Target("vocabulary", "words.txt", _read_vocabulary, (b"\n", b"\xff", b" "), weight=4),
    Target("store", "a.corpus", _counts(), (*JSON, *NUMBERS), folder=True, weight=3),
    Target("model", "a.model", _load, (*JSON, *NUMBERS), folder=True, weight=0.5),
    Target("texts", "a.txt", _count_words, (b"\xcc\x81", b"\xe2\x80\x8d", b"\n\n"), weight=4),
    Target("query", "a.txt", _query, (b'"', b"-", b"cat", b"dog", b"\xcc\x81"), weight=4),
]
BY_NAME = {target.name: target for target in TARGETS}


def warm_up(target: Target) -> None:
    """Import what a target needs, so that its first input is not slower."""
    if target.name == "h5ad":
        import anndata  # noqa: F401


def quiet() -> None:
    """Disable log messages, which would be written for each input."""
    logging.disable()
