"""Tests of what all commands share: default names of outputs, ``-o``, and the closing line."""

from __future__ import annotations

import os
from pathlib import Path

import click
import pytest

import laconic
from laconic.cli.main import COMMANDS
from laconic.cli.main import laconic as group
from laconic.cli.output_paths import default_output

from .running import Run, documents, mentions, write_lines

TEXT = ("--text", "body")


def commands() -> dict[str, click.Command]:
    context = click.Context(group)
    return {name: found for name in COMMANDS if (found := group.get_command(context, name))}


def test_letters_mean_the_same_everywhere() -> None:
    for name, command in commands().items():
        for option in command.params:
            if "-o" in option.opts:
                assert "--output" in option.opts, name
            if "-k" in option.opts:
                assert "--topics" in option.opts, name
            assert "--out" not in option.opts, name


def test_arguments_are_called_input_and_model() -> None:
    allowed = {
        "INPUT", "MODEL", "MODEL|INPUT", "[INPUT]", "[OUTPUT]", "[QUERY]...", "[CHART]", "[DOC]",
        "WORD", "INPUT...", "[INPUT]...", "MODEL|STORE...", "STORE", "[TOPIC|WORD]...",
        "OPERATION",
    }  # fmt: skip
    for name, command in commands().items():
        context = click.Context(command)
        found = [p.make_metavar(context) for p in command.params if isinstance(p, click.Argument)]
        assert set(found) <= allowed, name


@pytest.mark.parametrize("name", COMMANDS)
def test_quiet_mentions_json_only_if_there_is_json(name: str) -> None:
    params = {option.name: option for option in commands()[name].params}
    quiet = params.get("quiet")
    if isinstance(quiet, click.Option):
        assert ("--json" in (quiet.help or "")) == ("as_json" in params)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_fits_on_a_screen(name: str, run: Run) -> None:
    lines = run(name, "--help").stdout.splitlines()
    assert len(lines) <= (45 if name == "fit" else 52)
    if lines[-1].startswith("More options: "):
        everything = run(name, "--help-all").stdout
        assert len(everything.splitlines()) > len(lines)
        for option in commands()[name].params:
            if isinstance(option, click.Option) and not option.hidden:
                assert max(option.opts, key=len) in everything


def test_default_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "letters.1914").mkdir()
    for source, expected in {
        "posts.jsonl": "posts.model",
        "far/away/posts.v2.csv.gz": "posts.v2.model",
        "letters.1914": "letters.1914.model",
        "letters.1914/": "letters.1914.model",
        "posts.corpus/": "posts.model",
        "pydocs": "pydocs.model",
    }.items():
        assert default_output(source, ".model") == expected
    assert default_output(".", ".model") == f"{tmp_path.name}.model"


def test_fit_and_report_name_their_output_after_the_input(run: Run, posts: Path) -> None:
    result = run("fit", posts, *TEXT, "-k", 3)
    mentions(result, "Wrote posts.model (", "laconic topics posts.model")
    again = run("fit", posts, *TEXT, "-k", 3, status=1)
    mentions(again, "error: posts.model: ", "--force", "-o")
    run("fit", posts, *TEXT, "-k", 3, "--force", "-q")
    mentions(run("report", "posts.model"), "Wrote posts.html (")
    mentions(run("report", "posts.model", status=1), "error: posts.html: ", "--force", "-o")


def test_standard_input_needs_a_name(run: Run) -> None:
    mentions(run("fit", "-", status=2), "-o", "standard input has no name")
    mentions(run("convert", "-", status=2), "-o", "standard input has no name")


def test_the_output_is_checked_before_anything_is_read(run: Run) -> None:
    result = run("fit", "no such file", "-o", "nowhere/m", status=1)
    mentions(result, "nowhere/m: ", "does not exist")
    if Path("/proc/version").exists():  # the superuser has permission, but nothing can be created
        mentions(
            run("fit", "no such file", "-o", "/proc/m", status=1), "/proc/m: cannot be written"
        )
    if os.getuid():  # the superuser may write everywhere
        Path("locked").mkdir(mode=0o500)
        mentions(run("fit", "no such file", "-o", "locked/m", status=1), "permission")


def test_an_output_needs_its_option(run: Run, posts: Path) -> None:
    mentions(run("convert", posts, "a.mtx", status=2), "-o a.mtx")
    mentions(run("fit", posts, posts, status=2), "-o", "several inputs")


def test_workers_and_seeds(run: Run, posts: Path) -> None:
    run("fit", posts, *TEXT, "-k", 3, "--jobs", -1, "--seed", 2**32 - 1, "-q")
    mentions(run("fit", posts, "--jobs", 0, status=2), "--jobs", "'0'", "-1 means all cores")
    mentions(run("fit", posts, "--seed", 2**32, status=2, golden=False), "--seed", "4294967295")


def test_names_of_models(run: Run, posts: Path) -> None:
    mentions(run("fit", posts, "-m", "lda", status=2), "'lda'", "plsa", "laconic compare")
    mentions(run("fit", posts, "-m", "slda", status=2), "'slda'", "Did you mean slsa?")
    mentions(run("fit", posts, "--stop-words", "englisch", *TEXT, status=1), "mean english?")


def test_a_file_instead_of_a_model(run: Run, posts: Path) -> None:
    result = run("topics", posts, status=1)
    mentions(result, "is a file", f"laconic fit {posts}")
    mentions(run("info", "missing.model", status=1), "missing.model")


def test_labels_of_a_classifier(run: Run, posts: Path) -> None:
    Path("broken.jsonl").write_text("{")  # not read
    result = run("fit", "broken.jsonl", "-m", "medstc", status=1)
    mentions(result, "medstc", "--label")
    some = documents()
    for document in some[::3]:
        document["group"] = None
    write_lines("some.jsonl", some)
    given = ("fit", "some.jsonl", *TEXT, "--label", "group", "-m", "medstc", "-k", 3)
    mentions(run(*given, status=1), "20 of 60 documents", "--drop-unlabelled")
    result = run(*given, "--drop-unlabelled")
    mentions(result, "20 of 60 documents have no label and are left out")
    assert "documents  40" in result.stdout.replace("documents    ", "documents  ")
    assert laconic.describe("some.model")["documents"] == 40


def test_charts_say_how_many_documents_have_no_label(run: Run) -> None:
    pytest.importorskip("vl_convert")
    some = documents()
    for document in some[:7]:
        document["group"] = None
    write_lines("some.jsonl", some)
    run("fit", "some.jsonl", *TEXT, "--label", "group", "-k", 3, "-q")
    result = run("plot", "some.model", "groups", "-o", "groups.pdf")
    mentions(result, "7 of 60 documents have no label", "Wrote groups.pdf (")
    assert Path("groups.pdf").read_bytes().startswith(b"%PDF")
