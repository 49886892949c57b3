"""Write the seeds: small files in every format, written by laconic and its tests."""

from __future__ import annotations

import gzip
import shutil
import tempfile
from pathlib import Path

import laconic
from fuzz.targets import SEEDS
from tests.io import written


def main() -> None:
    if SEEDS.exists():
        shutil.rmtree(SEEDS)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        for name in ("lines", "csv", "tsv", "json", "jsonl", "parquet", "excel", "matrix", "uci",
                     "ldac", "svmlight", "matrixmarket", "h5ad"):  # fmt: skip
            _copy(written.WRITERS[name](home), name)
        for name in ("10x", "store"):
            shutil.copytree(written.WRITERS[name](home), SEEDS / name)
        gmt = b"growth\tna\tEGFR\tMYC\nrepair\tna\tBRCA1\n"
        _write("gmt", "sets.gmt", gmt)
        _write("gmt", "sets.gmt.gz", gzip.compress(gmt, mtime=0))
        _write("seeds", "seeds.txt", b"# words\nspace: nasa!, -car\nhockey:\n  - nhl\n")
        _write("vocabulary", "words.txt", b"cat\ndog\nsat\n")
        texts = "\n".join(written.TEXTS).encode()
        _write("gzip", "lines.txt.gz", gzip.compress(texts, mtime=0))
        _write("texts", "texts.txt", texts.replace(b"\n", b"\n\n"))
        _write("query", "query.txt", b'cat "dog" -mat')
        _write("query", "words.txt", "große Katze naïve 😺".encode())
        _write("json", "object.json", b'{"data": [{"text": "a cat"}, {"text": "a dog"}]}')
        _write("json", "columns.json", b'{"text": ["a cat", "a dog"], "id": [1, 2]}')
        _write("matrixmarket", "dense.mtx",
               b"%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n")  # fmt: skip
        for name in ("lines", "csv", "jsonl", "uci", "ldac", "svmlight", "matrixmarket"):
            for path in (SEEDS / name).iterdir():
                _write("detect", path.name, path.read_bytes())
    corpus = laconic.Vectorizer(n_jobs=1, stop_words=None).fit_transform(written.TEXTS)
    corpus = corpus.replace(ids=written.IDS, titles=written.TITLES, texts=written.TEXTS)
    model = laconic.SparseLSA(2, alpha=0.01, n_jobs=1).fit(corpus)
    index = laconic.search(model, corpus)
    laconic.save(model, SEEDS / "index.model", index=index)
    laconic.save(model, SEEDS / "model", index=index)
    for name in ("store", "model"):  # Without the checksums, damage reaches the checks of values.
        (SEEDS / name / "manifest.json").unlink()
    notes = b'{"format": 1, "topics": {"1": {"name": "pets", "hidden": false, "note": "a"}}}'
    (SEEDS / "model" / "notes.json").write_bytes(notes)


def _copy(path: Path, target: str) -> None:
    _write(target, path.name, path.read_bytes())


def _write(target: str, name: str, data: bytes) -> None:
    (SEEDS / target).mkdir(parents=True, exist_ok=True)
    (SEEDS / target / name).write_bytes(data)


if __name__ == "__main__":
    main()
