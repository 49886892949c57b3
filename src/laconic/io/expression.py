"""Gene expression: AnnData objects and files, and folders of 10x Genomics.

Cells or samples are documents, and genes are words.
"""

from __future__ import annotations

import logging
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from laconic.corpus.corpus import Corpus
from laconic.errors import ReadError
from laconic.io.column_names import align_to, read_words, requested_columns
from laconic.io.columns import TableInfo, listed, missing_column, quoted
from laconic.io.matrix import unique_words
from laconic.io.matrixmarket import load_matrix
from laconic.io.metadata import as_labels
from laconic.io.options import Options
from laconic.io.source import Source
from laconic.io.table import is_null

logger = logging.getLogger(__name__)

PATIENCE = 8  # time in seconds to list the contents of a file
MOST_MEMORY = 64  # a dataset may need at most this number of bytes of memory per byte of the file
LIST_CONTENTS = """
import os, sys
import h5py

path, most = sys.argv[1], int(sys.argv[2])
largest = most * max(os.path.getsize(path), 1 << 20)

def check(name, value):
    dict(value.attrs)
    if isinstance(value, h5py.Dataset):
        if value.size * value.dtype.itemsize > largest:
            sys.exit(f"{name} has the shape {value.shape}, which is too large for the file")
        if value.size * value.dtype.itemsize < 1 << 20:
            value[()]
        elif value.ndim:
            value[(0,) * value.ndim], value[tuple(length - 1 for length in value.shape)]

with h5py.File(path, "r") as file:
    file.visititems(check)
"""

MATRIX = "matrix.mtx"  # name of the matrix in a folder of 10x Genomics
FEATURES = ("features.tsv", "genes.tsv")
BARCODES = "barcodes.tsv"
GENES = "Gene Expression"  # type of the features that are genes


def read_h5ad(source: Source, options: Options) -> Corpus:
    """Read a file of AnnData."""
    if find_spec("anndata") is None:
        raise source.error(
            None,
            ".h5ad files need anndata; install it with: pip install 'laconic[anndata]'",
        )
    path = source.plain_path()
    if path is None:
        raise source.error(None, "must be a file that is not gzipped; unzip it first")
    import anndata

    _check_hdf5(path, source)
    try:
        data = anndata.read_h5ad(path)
    except Exception as error:  # Damaged files raise exceptions of many classes.
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise source.error(None, f"cannot be read as an AnnData file: {reason}") from error
    return corpus_of_anndata(data, options, source.name)


def _check_hdf5(path: Path, source: Source) -> None:
    """Raise if the contents of a file cannot be listed; damaged files can crash or block HDF5.

    The contents are listed in another process. Its messages are discarded.
    """
    if not sys.executable:  # Python is embedded in another program.
        return
    # -P: modules in the working directory are not imported.
    command = [sys.executable, "-P", "-c", LIST_CONTENTS, str(path.resolve()), str(MOST_MEMORY)]
    try:
        done = subprocess.run(command, capture_output=True, timeout=PATIENCE, text=True)
    except subprocess.TimeoutExpired:
        reason = f"its contents cannot be listed in {PATIENCE} seconds"
    else:
        if done.returncode == 0:
            return
        reason = (done.stderr.strip().splitlines() or ["HDF5 crashed"])[-1]
    raise source.error(None, f"cannot be read as an AnnData file: {reason}")


def corpus_of_anndata(data: Any, options: Options, where: str | None) -> Corpus:
    """Build a Corpus from X or a layer; label, title and id are columns of ``obs``."""
    options.reject_special(where, "AnnData", "layer")
    options.reject_columns(where, "AnnData contains counts, not texts; omit it", ["text"])
    options.reject_settings(where, "the genes of AnnData are already counted")
    columns = [str(name) for name in data.obs.columns]
    for name in (options.label, options.title, options.id):
        if name is not None and name not in columns:
            raise ReadError(
                where, None, missing_column(name, TableInfo(columns, [], [], [], where))
            )
    counts = _anndata_counts(data, options.layer, where)

    def values(name: str) -> list[Any]:
        return [None if is_null(value) else value for value in data.obs[name].tolist()]

    ids = data.obs_names if options.id is None else values(options.id)
    corpus = Corpus(
        counts,
        unique_words([str(name) for name in data.var_names]),
        ids=[str(name) for name in ids],
        titles=None
        if options.title is None
        else [str(name or "") for name in values(options.title)],
        labels=None if options.label is None else as_labels(values(options.label)),
    )
    return align_to(corpus, requested_columns(options))


def _anndata_counts(data: Any, layer: str | None, where: str | None) -> sp.csr_matrix:
    if layer is not None and layer not in data.layers:
        raise ReadError(
            where, None, f"there is no layer {quoted(layer)}; the layers are: {listed(data.layers)}"
        )
    values = data.X if layer is None else data.layers[layer]
    if values is None:
        raise ReadError(
            where, None, f"has no X; set layer= to one of its layers: {listed(data.layers)}"
        )
    if hasattr(values, "to_memory"):  # the file is open, and the matrix is on disk
        values = values.to_memory()
    counts = sp.csr_matrix(values if sp.issparse(values) else np.asarray(values))
    if counts.nnz and not counts.data.min() >= 0:
        name = "X" if layer is None else f"the layer {quoted(layer)}"
        raise ReadError(
            where,
            None,
            f"{name} has negative or missing values, as scaled data have; set layer= to a layer "
            f"with counts (layers: {listed(data.layers)})",
        )
    return counts


def is_10x(folder: Path) -> bool:
    """Return whether a folder contains the matrix of 10x Genomics with its genes or cells."""
    prefix = _prefix(folder)
    return prefix is not None and _find(folder, prefix, *FEATURES) is not None


def read_10x(source: Source, options: Options) -> Corpus:
    """Read a folder with a matrix of genes x cells, the genes and the barcodes of the cells."""
    options.reject_columns(source.name, "a folder of 10x Genomics has no columns; omit it")
    options.reject_settings(source.name, "its genes are already counted")
    folder = source.path
    if folder is None or not folder.is_dir() or not is_10x(folder):
        raise source.error(
            None, "is not a folder with matrix.mtx and features.tsv or genes.tsv (.gz may follow)"
        )
    prefix = _prefix(folder) or ""
    matrix, features = (_find(folder, prefix, *names) for names in ((MATRIX,), FEATURES))
    assert matrix is not None
    assert features is not None
    counts = load_matrix(Source(matrix)).T.tocsr()
    genes, chosen = _genes(Source(features), counts.shape[1])
    barcodes = _find(folder, prefix, BARCODES)
    corpus = Corpus(
        counts[:, chosen],
        unique_words(genes),
        ids=None if barcodes is None else _barcodes(Source(barcodes), counts.shape[0]),
    )
    return align_to(corpus, requested_columns(options))


def _prefix(folder: Path) -> str | None:
    """Return what precedes ``matrix.mtx`` in the only name that ends like this, or None."""
    names = [path.name.removesuffix(".gz") for path in folder.glob(f"*{MATRIX}*")]
    prefixes = {name.removesuffix(MATRIX) for name in names if name.endswith(MATRIX)}
    return prefixes.pop() if len(prefixes) == 1 else None


def _find(folder: Path, prefix: str, *names: str) -> Path | None:
    paths = (folder / f"{prefix}{name}{ending}" for name in names for ending in ("", ".gz"))
    return next((path for path in paths if path.is_file()), None)


def _genes(source: Source, n_rows: int) -> tuple[list[str], np.ndarray]:
    """Return the names and the rows of the genes; other features, such as antibodies, are left out.

    The columns of the file are the id, the symbol and, in newer versions, the type.
    """
    lines = [line.split("\t") for line in read_words(source)]
    if len(lines) != n_rows:
        raise source.error(
            None, f"names {len(lines):,} features, but the matrix has {n_rows:,} rows"
        )
    types = {line[2] for line in lines if len(line) > 2}
    is_gene = np.ones(len(lines), dtype=bool)
    if len(types) > 1 and GENES in types:
        is_gene = np.array([len(line) > 2 and line[2] == GENES for line in lines])
        logger.info(
            "%s: %d features that are not genes are left out (%s)",
            source.name,
            np.count_nonzero(~is_gene),
            listed(sorted(types - {GENES})),
        )
    chosen = np.flatnonzero(is_gene)
    return [lines[row][1 if len(lines[row]) > 1 else 0] for row in chosen], chosen


def _barcodes(source: Source, n_cells: int) -> list[str]:
    barcodes = [str(word) for word in read_words(source)]
    if len(barcodes) != n_cells:
        raise source.error(
            None, f"names {len(barcodes):,} cells, but the matrix has {n_cells:,} columns"
        )
    return barcodes
