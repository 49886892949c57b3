"""Tests of the panel: its cells are merged, continued after an interruption, and timed."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from benchmarks import panel, panel_peers, report
from laconic import Corpus


def test_cells_of_the_panel_are_merged(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(panel, "RESULTS", tmp_path)
    for seed, npmi in enumerate((0.1, 0.3)):
        panel.merge({f"titles slsa 20 {seed}": {"npmi": npmi, "words": [], "seconds": 1.0}})
    panel.merge({"nips bertopic 20 0": {"error": "no texts", "words": [], "seconds": 1.0}})
    result = json.loads((tmp_path / "panel.json").read_text(encoding="utf-8"))
    (row,) = result["rows"]
    assert row["what"] == "NPMI on other documents, slsa, titles, K=20"
    assert row["value"] == pytest.approx(0.2)
    assert len(result["cells"]) == 3
    assert any("nips bertopic 20 0 (no texts)" in note for note in result["notes"])
    assert "| **slsa, titles** | 20 | 0.2 |" in report.result_page(result, {})


def test_only_cells_of_the_same_commit_are_done() -> None:
    assert panel.is_done({"npmi": 0.1, "commit": "abc"}, "abc")
    assert not panel.is_done({"npmi": 0.1, "commit": "abc"}, "def")
    assert not panel.is_done({"npmi": 0.1}, "abc")
    assert not panel.is_done({"error": "too large", "commit": "abc"}, "abc")
    assert not panel.is_done({"npmi": 0.1, "commit": "abc-dirty"}, "abc-dirty")
    assert not panel.is_done(None, "abc")


def test_the_panel_continues_and_refuses_changed_files(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(panel, "RESULTS", tmp_path)
    ran: list[tuple[object, ...]] = []

    def in_process(*key: object) -> dict[str, object]:
        ran.append(key)
        return {"npmi": 0.1, "seconds": 1.0, "commit": panel.commit()}

    monkeypatch.setattr(panel, "_in_process", in_process)
    monkeypatch.setattr(panel, "commit", lambda: "abc")
    chosen = ["run", "--corpus", "titles", "--model", "slsa", "--model", "sc", "--topics", "20"]
    for options in ([], [], ["--again"]):
        done = CliRunner().invoke(panel.main, [*chosen, *options], catch_exceptions=False)
        assert done.exit_code == 0
    assert ran == 2 * [("titles", "slsa", 20, 0), ("titles", "sc", 20, 0)]
    monkeypatch.setattr(panel, "commit", lambda: "abc-dirty")
    refused = CliRunner().invoke(panel.main, chosen)
    assert refused.exit_code == 2
    assert "--dirty" in refused.output
    CliRunner().invoke(panel.main, [*chosen, "--dirty"], catch_exceptions=False)
    assert len(ran) == 6
    result = json.loads((tmp_path / "panel.json").read_text(encoding="utf-8"))
    assert any("2 from abc-dirty" in note for note in result["notes"])


def test_texts_are_encoded_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The second time, the vectors and the seconds come from the user's cache."""
    encoded: list[str] = []

    class Encoder:
        def encode(self, texts: list[str], **options: object) -> np.ndarray:
            encoded.extend(texts)
            return np.array([[len(text), 1.0] for text in texts])

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(panel_peers, "_encoder", Encoder)
    texts = ["one text", "a much longer text", "one text", "x"]
    for _ in range(2):
        monkeypatch.setattr(panel_peers, "ENCODED", {})
        panel_peers._load_vectors(texts)
        assert panel_peers._encode(texts)[:, 0].tolist() == [8, 18, 8, 1]
        assert set(panel_peers.ENCODED) == set(texts)
    assert sorted(encoded) == sorted(["text", *set(texts)])
    corpus = Corpus(np.ones((4, 2)), ["a", "b"], texts=texts)
    seconds = [panel_peers.ENCODED[text][1] for text in set(texts)]
    assert panel_peers.encoding_seconds("bertopic", corpus) == pytest.approx(sum(seconds))
    assert panel_peers.encoding_seconds("sc", corpus) == 0
