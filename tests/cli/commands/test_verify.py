"""Tests of ``laconic verify``."""

from __future__ import annotations

import json
from pathlib import Path

import laconic
from laconic.datasets import make_topics

from ..running import Run


def test_verify_names_every_damaged_file(run: Run) -> None:
    corpus, _ = make_topics(50, 60, 3, words_per_topic=8)
    corpus.save("good.corpus")
    laconic.save(laconic.PLSA(3, max_iter=3, tol=1.0).fit(corpus), "bad.model")
    told = run("verify", "good.corpus").stdout
    assert told.startswith("good.corpus: corpus, 6 files verified")
    for name in ("model.json", "model.components_.npy"):
        path = Path("bad.model", name)
        path.write_bytes(path.read_bytes().replace(b"0", b"1"))
    result = run("verify", "good.corpus", "bad.model", "nothing", status=1)
    assert len(result.stdout.splitlines()) == 1
    lines = result.stderr.splitlines()
    assert len(lines) == 3
    assert "error: bad.model/model.components_.npy: is damaged" in lines[0]
    assert "error: bad.model/model.json: is damaged" in lines[1]
    assert "error: nothing: no such folder" in lines[2]
    good, bad, nothing = json.loads(
        run("verify", "good.corpus", "bad.model", "nothing", "--json", status=1).stdout
    )["folders"]
    assert good["files"] == 6
    assert good["problems"] == []
    assert len(bad["problems"]) == 2
    assert nothing["path"] == "nothing"
