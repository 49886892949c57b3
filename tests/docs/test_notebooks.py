"""Test that the notebooks are committed without outputs, and that their code runs."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import joblib
import polars as pl
import pytest

pytest.importorskip("altair")

EXAMPLES = Path(__file__).parents[2] / "examples"
NOTEBOOKS = sorted(EXAMPLES.glob("*.ipynb"))


def read(path: Path) -> dict[str, Any]:
    book: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return book


def run(path: Path) -> tuple[dict[str, Any], list[Any]]:
    """Run the code cells as a notebook does; return the names and the values that cells show."""
    names: dict[str, Any] = {"__name__": "__main__"}
    shown = []
    for number, cell in enumerate(read(path)["cells"]):
        if cell["cell_type"] != "code":
            continue
        tree = ast.parse("".join(cell["source"]))
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        place = f"{path.name}, cell {number}"
        exec(compile(tree, place, "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), place, "eval"), names)
            if hasattr(value, "_repr_html_"):
                assert value._repr_html_(), place
            shown.append(value)
    return names, shown


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_has_no_outputs(path: Path) -> None:
    book = read(path)
    assert (book["nbformat"], book["nbformat_minor"]) == (4, 5)
    assert book["metadata"]["kernelspec"]["name"] == "python3"
    ids = [cell["id"] for cell in book["cells"]]
    assert len(set(ids)) == len(ids)
    for cell in book["cells"]:
        assert cell["cell_type"] in ("markdown", "code")
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []
            assert cell["execution_count"] is None
        assert all(line.endswith("\n") for line in cell["source"][:-1])


def test_there_are_two_notebooks() -> None:
    assert [path.name for path in NOTEBOOKS] == ["first_steps.ipynb", "study.ipynb"]


def test_the_first_steps_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names, shown = run(EXAMPLES / "first_steps.ipynb")
    assert len(names["topics"].frame) == 12
    assert len(names["index"].query("random numbers from a distribution", k=3)) == 3
    assert 0 in [value for value in shown if isinstance(value, int)]  # loaded = saved
    assert Path("docstrings.html").stat().st_size > 50_000


def test_the_study_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with joblib.parallel_config(backend="threading"):  # no processes that take seconds to start
        names, _ = run(EXAMPLES / "study.ipynb")
    table = pl.read_csv("documents.csv")
    assert len(table) == len(names["corpus"])
    codes = names["model"].transform(names["corpus"]).toarray()
    assert table.select(pl.selectors.starts_with("topic")).to_numpy() == pytest.approx(codes)
    assert set(table["package"]) == {"numpy", "scipy", "sklearn"}
    assert pl.read_csv("topics.csv")["topic"].to_list() == list(range(names["k"]))
    assert Path("topics-by-package.svg").read_text(encoding="utf-8").startswith("<svg")
    for page in ("curve.html", "comparison.html", "study.html"):
        assert Path(page).read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
