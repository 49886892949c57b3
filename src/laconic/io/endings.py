"""Extensions of file names, and the formats that they stand for."""

from __future__ import annotations

TABLES = ("csv", "tsv", "json", "jsonl", "parquet", "excel")  # formats with named columns
EXCEL_ENDINGS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")

ENDINGS = {
    ".txt": "lines",
    ".text": "lines",
    ".csv": "csv",
    ".psv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
    **dict.fromkeys(EXCEL_ENDINGS, "excel"),
    ".ldac": "ldac",
    ".svm": "svmlight",
    ".svmlight": "svmlight",
    ".libsvm": "svmlight",
    ".mtx": "matrixmarket",
    ".mm": "matrixmarket",
    ".h5ad": "h5ad",
}
