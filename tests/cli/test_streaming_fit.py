"""Tests of ``laconic fit --stream``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import laconic

from .running import Run, documents, mentions, write_lines

FIT = ("--stream", "--batch-documents", 40, "-m", "plsa", "-k", 3)


def test_from_a_store_and_from_standard_input(run: Run) -> None:
    records = documents(120)
    write_lines("posts.jsonl", records)
    run("convert", "posts.jsonl", "--text", "body", "-o", "posts.corpus")
    facts = json.loads(run("fit", "posts.corpus", *FIT, "-o", "a.model", "--json").stdout)
    assert (facts["documents"], facts["batches"], facts["topics"]) == (120, 3, 3)
    assert laconic.describe("a.model")["documents"] == 0
    lines = "".join(json.dumps(record) + "\n" for record in records)
    told = run("fit", "-", "--text", "body", *FIT, "-o", "b.model", input=lines)
    assert "documents  120" in told.stdout
    assert "1, in 3 batches" in told.stdout
    assert "topics b.model" in told.stderr
    assert len(run("topics", "b.model").stdout.splitlines()) == 3
    told = run("fit", "posts.jsonl", "--text", "body", *FIT, "-v", "-o", "c.model")
    assert "batch 3: 120 documents so far" in told.stderr


def test_the_seed_gives_the_same_topics(run: Run) -> None:
    write_lines("posts.jsonl", documents(120))
    run("convert", "posts.jsonl", "--text", "body", "-o", "posts.corpus")
    for name in ("a", "b"):
        run("fit", "posts.corpus", *FIT, "--seed", 3, "-o", name)
    one, other = (Path(name, "model.components_.npy").read_bytes() for name in ("a", "b"))
    assert one == other


def test_words_are_counted_as_the_options_say(run: Run) -> None:
    write_lines("posts.jsonl", documents(60))
    Path("few.txt").write_text("purr\nmeow\n")
    run("fit", "posts.jsonl", "--text", "body", "--stop-words", "few.txt", *FIT, "-o", "a.model")
    words = laconic.load("a.model")["text"].vocabulary_
    assert "purr" not in words
    assert "kitten" in words


def test_the_built_in_name_of_a_file_and_empty_documents(run: Run) -> None:
    write_lines("posts.jsonl", [*documents(40), {"body": ""}, *documents(40)])
    facts = json.loads(
        run("fit", "posts.jsonl", "--text", "body", *FIT, "-o", "a.model", "--json").stdout
    )
    assert (facts["documents"], facts["empty_documents"]) == (81, 1)


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        (("-m", "medstc", "--stream", "--label", "group"), ("medstc", "--stream", "slsa")),
        (("--batch-documents", 10), ("--batch-documents", "--stream")),
        (("--stream", "--documents"), ("--documents", "--stream")),
        (("--stream", "--index"), ("--index", "--stream")),
        (("--stream", "--checkpoint", "states"), ("--checkpoint", "--stream")),
    ],
)
def test_what_does_not_go_with_a_stream(
    run: Run, options: tuple[object, ...], parts: tuple[str, ...]
) -> None:
    write_lines("posts.jsonl", documents(30))
    status = 1 if "medstc" in options else 2
    result = run("fit", "posts.jsonl", "--text", "body", *options, "-o", "m", status=status)
    mentions(result, *parts)
    assert not Path("m").exists()
