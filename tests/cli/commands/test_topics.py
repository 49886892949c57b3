"""Tests of ``laconic topics``: a table on a terminal, tab-separated lines in a pipe."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
from pathlib import Path
from subprocess import PIPE

import pytest

import laconic
from laconic.fitted.notes import TopicNote
from laconic.saving.notes import write_notes
from tests.cli.running import (
    PATIENCE,
    Run,
    columns,
    on_a_real_terminal,
    on_a_terminal,
    real_run,
    started,
    without_escapes,
)


def test_in_a_pipe_one_line_for_each_topic(run: Run, model: Path) -> None:
    table = laconic.topics(laconic.load(model), 2).frame
    lines = columns(run("topics", model, "-n", 2).stdout)
    assert [int(number) for number, _, _ in lines] == [0, 1, 2]
    assert [float(share) for _, share, _ in lines] == pytest.approx(table["share"], abs=1e-6)
    assert [words.split(", ") for _, _, words in lines] == table["words"].to_list()


def test_lines_are_never_cut(run: Run, tmp_path: Path) -> None:
    words = [f"{'long' * 20}{i}" for i in range(30)]
    corpus = laconic.Corpus([[1] * 30, [2] * 30], words)
    laconic.save(laconic.SparseLSA(1, alpha=0).fit(corpus), tmp_path / "m")
    (line,) = run("topics", "m", "-n", 99).stdout.splitlines()
    assert sorted(line.split("\t")[2].split(", ")) == sorted(words)


def test_json(run: Run, model: Path) -> None:
    facts = json.loads(run("topics", model, "--json").stdout)
    assert facts["model"] == str(model)
    assert [sorted(topic) for topic in facts["topics"]] == [
        ["hidden", "n_words", "name", "note", "share", "support", "topic", "weak", "words"]
    ] * 3


def test_topics_go_by_the_names_that_they_were_given(run: Run, model: Path, tmp_path: Path) -> None:
    mine = shutil.copytree(model, tmp_path / "mine.model")
    write_notes(mine, {1: TopicNote("<pets>", hidden=True, note="seen")})
    words = {topic.number: topic.words for topic in laconic.topics(laconic.load(mine))}
    named = f"<pets>: {', '.join(words[1])}"
    for more in ([], ["--documents", 1]):
        lines = columns(run("topics", mine, *more).stdout)
        assert {int(line[0]): line[2] for line in lines} == {
            0: ", ".join(words[0]), 1: named, 2: ", ".join(words[2])
        }  # fmt: skip
    facts = json.loads(run("topics", mine, "--json").stdout)["topics"]
    assert {row["topic"]: (row["name"], row["hidden"], row["note"]) for row in facts} == {
        0: (None, False, ""), 1: ("<pets>", True, "seen"), 2: (None, False, "")
    }  # fmt: skip


def test_on_a_terminal_a_table_as_wide_as_it(tmp_path: Path) -> None:
    words = ["[bold]", "[/red]", "tab\there", "\x1b[31mred", *(f"word{i:02}" for i in range(20))]
    corpus = laconic.Corpus([[1] * 24, [2] * 24], words)
    laconic.save(laconic.SparseLSA(1, alpha=0).fit(corpus), tmp_path / "m")
    out = on_a_real_terminal("topics", str(tmp_path / "m"), "-n", "24", NO_COLOR="1")
    assert without_escapes(out) == without_escapes(
        on_a_terminal("topics", tmp_path / "m", "-n", 24, NO_COLOR="1")
    )
    plain = re.sub(r"\x1b\[\d*m", "", out)
    lines = plain.splitlines()
    assert max(map(len, lines)) <= 60
    assert lines[1].split() == ["topic", "share", "words"]
    shown = re.sub(r"\s+", "", plain)
    assert "100.0%" in shown
    assert all(re.sub(r"\s|\x1b", "", word) in shown for word in words)
    assert "\x1b[31m" not in out


def test_a_broken_pipe_is_silent(model: Path) -> None:
    with started("topics", str(model)) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(PATIENCE) == 141


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_behind_standard_output_is_an_error(model: Path) -> None:
    with open("/dev/full", "w") as full:
        done = real_run("topics", str(model), capture_output=False, stdout=full, stderr=PIPE)
    assert done.returncode == 1
    assert done.stderr == f"laconic: error: {os.strerror(errno.ENOSPC)}\n"


def test_topics_of_few_documents_are_marked_or_left_out(run: Run, tmp_path: Path) -> None:
    counts = [[0] * 24 for _ in range(120)]
    for row, count in enumerate(counts):
        subject = row % 2
        for column in range(10):
            count[10 * subject + column] = int((row // 2 + column) % 3 == 0)
        if row % 30 == 0:
            count[20:] = [5] * 4
    words = [f"s{column}" for column in range(20)] + [f"sig{column}" for column in range(4)]
    model = laconic.SparseLSA(3, positive=True, codes="sparse").fit(laconic.Corpus(counts, words))
    laconic.save(model, tmp_path / "m")
    (weak,) = [topic.number for topic in laconic.topics(model) if topic.weak]
    out = on_a_terminal("topics", tmp_path / "m", NO_COLOR="1")
    assert f" {weak}* " in out
    assert "* shared by few documents" in out
    kept = columns(run("topics", tmp_path / "m", "--no-weak").stdout)
    assert [int(line[0]) for line in kept] == [topic for topic in range(3) if topic != weak]
