"""Tests of views that are saved as CSV files."""

from __future__ import annotations

import csv
import io

import httpx
import pytest

from tests.web.asking import assert_guarded, sentence


@pytest.mark.parametrize(
    ("path", "column", "n_rows"),
    [
        ("/api/overview?format=csv", "words", 3),
        ("/api/topics/1?format=csv", "weight", 6),
        ("/api/topics/1/documents?format=csv", "share", None),
        ("/api/documents/2?format=csv", "share", None),
        ("/api/documents.csv?label=ships", "topic", 20),
        ("/api/search?q=cat&format=csv", "score", None),
        ("/api/words/cat?format=csv", "share", None),
        ("/api/compare?format=csv", "likeness", 3),
        ("/api/document-map?format=csv", "x", 60),
    ],
)
def test_views_as_csv(client: httpx.Client, path: str, column: str, n_rows: int | None) -> None:
    answer = client.get(path)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.headers["content-disposition"].startswith('attachment; filename="')
    assert_guarded(answer)
    rows = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))
    assert rows
    assert column in rows[0]
    assert n_rows in (None, len(rows))


def test_unknown_format(client: httpx.Client) -> None:
    assert "'xml'" in sentence(client.get("/api/overview?format=xml"), 400)
