"""Tests of ``laconic plan``."""

from __future__ import annotations

import json

from laconic.datasets import make_topics

from ..running import Run


def test_plan_prints_a_table_or_json(run: Run) -> None:
    corpus, _ = make_topics(80, 40, 3, words_per_topic=8)
    corpus.save("posts.corpus")
    told = run("plan", "posts.corpus", "-m", "slsa", "-k", "3").stdout
    assert "80 documents" in told
    assert "8 workers" in told
    facts = json.loads(
        run("plan", "posts.corpus", "-m", "plsa", "-k", "2", "--workers", "2", "--json").stdout
    )
    assert (facts["name"], facts["n_components"], facts["workers"]) == ("plsa", 2, 2)
    assert facts["here"]["total"] > 0


def test_plan_of_a_file_says_what_to_do(run: Run) -> None:
    result = run("plan", "posts.jsonl", status=1)
    assert "laconic convert" in result.stderr
    assert "Traceback" not in result.stderr
