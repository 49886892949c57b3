"""Tests of ``laconic fit`` with each model: options, and other commands on the saved model."""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path

import click
import numpy as np
import polars as pl
import pytest

import laconic
from laconic.cli.commands.fit import fit
from laconic.cli.model_options import HEADINGS, MODEL_OPTIONS, REQUIRED_WITH
from laconic.engines import ENGINES
from laconic.engines.base import Serial
from laconic.models import MODELS
from laconic.saving.describe import describe
from laconic.weighting import SCHEMES
from tests.messages import refused

from .running import THEMES, Run, columns, documents, mentions

CLASSES = ("--label", "group")
NOT_OFFERED = {"group_weights", "stop", "sparse_output", "verbose"}
VALUES = {
    "n_components": ("-k", 4),
    "max_iter": ("--max-iter", 40),
    "tol": ("--tol", 0.01),
    "random_state": ("--seed", 7),
    "engine": ("--engine", "serial"),
    "n_jobs": ("--jobs", 1),
    "words_per_topic": ("--words-per-topic", 4),
    "alpha": ("--alpha", 0.01),
    "positive": ("--signed", False),
    "init": ("--init", "random"),
    "smoothing": ("--smoothing", -0.05),
    "doc_smoothing": ("--doc-smoothing", 0.0),
    "topics_per_word": ("--topics-per-word", 1.5),
    "word_penalty": ("--word-penalty", 0.02),
    "word_norm": ("--word-norm", "l2"),
    "topics_per_document": ("--topics-per-document", 2.0),
    "doc_penalty": ("--doc-penalty", 0.2),
    "doc_norm": ("--doc-norm", "l1"),
    "coupling": ("--coupling", 0.5),
    "loss": ("--loss", "gaussian"),
    "offset": ("--offset", 1e-5),
    "dictionary": ("--dictionary", "paper"),
    "batch_size": ("--batch-size", 20),
    "C": ("--cost", 0.5),
    "margin": ("--margin", 5.0),
    "noise": ("--noise", "counts"),
    "correlated": ("--correlated", True),
    "graph_alpha": ("--graph-alpha", 0.2),
    "forgetting": ("--forgetting", 2.0),
    "solver": ("--solver", "factored"),
    "keywords_per_document": ("--keywords-per-document", 3.0),
    "c": ("--c", 9.0),
    "support": ("--support", 5),
    "codes": ("--codes", "sparse"),
    "groups": ("--groups", "sets.gmt"),
    "overlap": ("--overlap", "smallest"),
    "seeds": ("--seeds", "seeds.txt"),
    "seed_strength": ("--seed-strength", 2.0),
}
OF_MODEL = {("sctm", "smoothing"): 0.3}  # values for models that do not accept the value in VALUES


def parameters(name: str) -> list[str]:
    """Return the parameters that have an option; initial topics can only be set in Python."""
    names = list(inspect.signature(MODELS[name]).parameters)
    return [one for one in names if one != "init" or name == "slsa"]


def value_of(name: str, model: str = "") -> object:
    return OF_MODEL.get((model, name), VALUES[name][1])


def on_the_command_line(name: str, model: str = "") -> list[str]:
    option, value = VALUES[name][0], value_of(name, model)
    return [option] if isinstance(value, bool) else [option, str(value)]


# --- the tables of options match the models ------------------------------------------------------


@pytest.mark.parametrize("name", MODELS)
def test_every_parameter_of_a_model_is_an_option(name: str) -> None:
    assert set(parameters(name)) - NOT_OFFERED <= set(MODEL_OPTIONS)


@pytest.mark.parametrize("heading", HEADINGS)
def test_headings_name_the_models_that_have_the_options(heading: str) -> None:
    texts = {option.name: option.help for option in fit.params if isinstance(option, click.Option)}
    for option in HEADINGS[heading]:
        owners = [name for name in MODELS if option in parameters(name)]
        if heading == "Model":
            named = list(MODELS)
        elif heading == "Several models":  # models are in brackets, as in "(sctm, stc)"
            brackets = re.findall(r"\(([a-z, ]+)\)", texts[option] or "")
            named = [name for bracket in brackets for name in bracket.split(", ")]
        else:
            named = heading.removeprefix("Only ").split(" and ")
        assert owners == named, option


def test_choices_are_those_of_the_models() -> None:
    choices = {
        option.name: set(option.type.choices)
        for option in fit.params
        if option.name in MODEL_OPTIONS and isinstance(option.type, click.Choice)
    }
    assert set(choices) == {
        "loss",
        "dictionary",
        "doc_norm",
        "word_norm",
        "solver",
        "codes",
        "noise",
        "overlap",
    }
    for name, offered in choices.items():
        owner = next(MODELS[model] for model in MODELS if name in parameters(model))
        with refused(name, kind=ValueError, golden=False) as caught:
            owner(**{name: "?"}).fit(np.eye(3), [0, 1, 0])
        (listed,) = re.findall(r"{(.*)}", str(caught.value))
        assert set(re.findall(r"'(\w+)'", listed)) == offered - {"none"}  # none is None


def test_help_names_models_and_weightings(run: Run) -> None:
    texts = {option.name: option.help for option in fit.params if isinstance(option, click.Option)}
    for name in MODELS:
        assert re.search(rf"\b{name}\b", texts["name"] or "")
    for scheme in SCHEMES:
        assert scheme in texts["weighting"]
    shown = run("fit", "--help-all").stdout
    assert all(f"\n{heading}:\n" in shown for heading in HEADINGS)


# --- options reach the model, or are rejected ----------------------------------------------------


@pytest.mark.parametrize("name", [name for name in MODELS if name != "slsa"])
def test_options_reach_the_model(
    run: Run, posts: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    workers: list[int | None] = []  # n_jobs of each engine; it is not saved
    monkeypatch.setitem(ENGINES, "noted", lambda n_jobs: workers.append(n_jobs) or Serial())
    left_out = {"topics_per_word", "topics_per_document", "keywords_per_document", "c", "engine"}
    left_out |= {"seeds", "seed_strength"}  # tested in test_seeds.py
    asked = [option for option in parameters(name) if option in VALUES and option not in left_out]
    given = [word for option in asked for word in on_the_command_line(option, name)]
    given += ["--engine", "noted"]
    run("fit", posts, "--text", "body", *CLASSES, "-q", "-m", name, "-o", "m", *given)
    assert set(workers) == {1}
    saved = describe("m")["parameters"]
    assert {option: saved[option] for option in asked} == {
        option: value_of(option, name) for option in asked
    }


FOREIGN = [
    (model, option)
    for model in MODELS
    for option in MODEL_OPTIONS
    if option not in parameters(model)
]  # fmt: skip


@pytest.mark.parametrize(("model", "option"), FOREIGN)
def test_an_option_of_another_model_is_refused_before_anything_is_read(
    run: Run, model: str, option: str
) -> None:
    given = on_the_command_line(option)
    result = run("fit", "no such file", "-o", "no/m", "-m", model, *given, status=2, golden=False)
    mentions(result, f"{given[0]} is not an option of {model};")
    assert result.stderr.count("\n") == 4


def test_the_refusal_says_which_models_have_it(run: Run) -> None:
    cases = {
        ("slsa", "--word-penalty"): "stc and medstc",
        ("medstc", "--batch-size"): "sc, sctm and stc",
        ("plsa", "--alpha"): "sc, slsa, sctm and pcp",
        ("plsa", "--words-per-topic"): "sc and slsa",
        ("slsa", "--support"): "option of sc.",
        ("stc", "--forgetting"): "sc and sctm",
    }
    for (model, option), owners in cases.items():
        result = run("fit", "x", "-o", "m", "-m", model, option, 1, status=2)
        mentions(result, f"Error: {option} ", f" {model}; ", owners)


EITHER = (
    ("alpha", "words_per_topic"),
    ("alpha", "topics_per_document"),
    ("word_penalty", "topics_per_word"),
    ("doc_penalty", "topics_per_document"),
    ("alpha", "keywords_per_document"),
    ("alpha", "c"),
    ("c", "keywords_per_document"),
)


@pytest.mark.parametrize("pair", EITHER, ids=" ".join)
def test_contradictions_are_refused_before_anything_is_read(
    run: Run, pair: tuple[str, str]
) -> None:
    owners = [name for name in MODELS if set(pair) <= set(parameters(name))]
    if "alpha" in pair:  # a penalty on codes during the fit, for sc
        owners.remove("sc") if "sc" in owners else None
    if pair == ("alpha", "topics_per_document"):  # a penalty on topics or on keywords
        owners = [name for name in owners if name not in ("slsa", "pcp")]
    assert owners
    for name in owners:
        given = [word for option in pair for word in on_the_command_line(option)]
        result = run("fit", "no such file", "-o", "m", "-m", name, *given, status=2)
        mentions(result, "Error: ", f"{given[0]} ", f"{given[2]} ")


def test_options_that_say_nothing_alone(run: Run) -> None:
    for name, needed in REQUIRED_WITH.items():
        given = on_the_command_line(name)
        owner = next(model for model in ("sctm", *MODELS) if name in parameters(model))
        result = run("fit", "no such file", "-o", "m", "-m", owner, *given, status=2)
        mentions(result, given[0], VALUES[needed][0])


def test_numbers_of_topics_need_the_norm_that_makes_zeros(run: Run) -> None:
    for target, norm in {"topics_per_word": "word_norm", "topics_per_document": "doc_norm"}.items():
        option, needed = VALUES[target][0], VALUES[norm][0]
        given = (option, 2, needed, "l2")
        result = run("fit", "no such file", "-o", "m", "-m", "stc", *given, status=2)
        mentions(result, f"Error: {option}", f"{needed} l1")


USAGE = {
    "loss": (["-m", "stc", "--loss", "huber"], ("--loss", "'huber'", "'poisson', 'gaussian'")),
    "smoothing": (["-m", "plsa", "--smoothing", "-1"], ("--smoothing", "'-1'", "greater than -1")),
    "smoothing word": (
        ["-m", "plsa", "--smoothing", "x"],
        ("--smoothing", "'x'", "number", "'kl'", "'none'"),
    ),
    "smoothing of plsa": (
        ["-m", "plsa", "--smoothing", "kl"],
        ("--smoothing", "PLSA", "'kl'", "float", "(-1.0, inf)"),
    ),
    "none for plsa": (["-m", "plsa", "--smoothing", "none"], ("--smoothing", "PLSA", "None")),
    "smoothing of sctm": (
        ["-m", "sctm", "--smoothing", "-0.05"],
        ("--smoothing", "-0.05", "SCTM", "'kl'", "None", "(0.0, 1.0)"),
    ),
    "graph": (["-m", "sctm", "--graph-alpha", "-1"], ("--graph-alpha", "'-1'", " 0 ")),
    "forgetting": (["-m", "sctm", "--forgetting", "-1"], ("--forgetting", "'-1'", " 0 ")),
    "coupling": (["-m", "stc", "--coupling", "0"], ("--coupling", "'0'", "greater than 0")),
    "cost": (["-m", "medstc", "--cost", "x"], ("--cost", "'x'", "greater than 0")),
    "margin": (["-m", "medstc", "--margin", "inf"], ("--margin", "'inf'", "greater than 0")),
    "batch": (["-m", "stc", "--batch-size", "1.5"], ("--batch-size", "'1.5'", "integer", " 1 ")),
}


@pytest.mark.parametrize("case", USAGE)
def test_usage_errors(run: Run, case: str) -> None:
    options, parts = USAGE[case]
    mentions(run("fit", "no such file", "-o", "m", *options, status=2), *parts)


def test_smoothing_of_sctm(run: Run, posts: Path) -> None:
    given = ("fit", posts, "--text", "body", "-m", "sctm", "-k", 3, "-q")
    for value, expected in {"kl": "kl", "none": None, "0.25": 0.25}.items():
        run(*given, "--smoothing", value, "-o", value)
        assert describe(value)["parameters"]["smoothing"] == expected


# --- fitted models, and what is printed about them -----------------------------------------------


@pytest.mark.parametrize("name", MODELS)
def test_every_model_goes_through_every_command(run: Run, posts: Path, name: str) -> None:
    read = (posts, "--text", "body")
    facts = json.loads(run("fit", *read, *CLASSES, "-m", name, "-k", 3, "-o", "m", "--json").stdout)
    assert (facts["model"], facts["documents"], facts["topics"]) == (name, 60, 3)
    assert facts["converged"] is True
    themes = [set(theme) for theme in THEMES.values()]
    for line in run("topics", "m", "-n", 5).stdout.splitlines():
        assert any(set(line.split("\t")[2].split(", ")) <= theme for theme in themes)
    run("transform", "m", *read, "-o", "codes.parquet")
    strongest = pl.read_parquet("codes.parquet").unique("id", keep="first", maintain_order=True)
    assert len(strongest) == 60
    of_theme = dict(zip(strongest["id"], strongest["topic"], strict=True))
    group_of = {document["id"]: document["group"] for document in documents()}
    assert len({(group_of[id_], topic) for id_, topic in of_theme.items()}) == 3
    for document in documents(3):
        lines = columns(run("similar", "m", document["id"], "-n", 12).stdout)
        nearest = [id_ for _, _, id_ in lines]
        assert {group_of[id_] for id_ in nearest} == {document["group"]}
        assert document["id"] not in nearest
    known = json.loads(run("info", "m", "--json").stdout)
    assert (known["class"], known["topics"]) == (MODELS[name].__name__, 3)
    assert "topics      3" in run("info", "m").stdout


def test_texts_without_columns_and_without_options(run: Run) -> None:
    Path("a.txt").write_text("".join(document["body"] + "\n" for document in documents()))
    for name in ("plsa", "stc"):
        result = run("fit", "a.txt", "-m", name, "-o", name)
        assert "topics     50\n" in result.stdout
        mentions(result, "warning: 50 topics", "30 words")


def test_facts_of_penalties_and_what_they_are_for(run: Run, posts: Path) -> None:
    given = ("fit", posts, "--text", "body", "-m", "stc", "-k", 3)
    assert "penalties  0.03 on words, 0.1 on documents\n" in run(*given, "-o", "a").stdout
    targets = ("--topics-per-word", 1, "--doc-penalty", 0.2)
    lines = run(*given, *targets, "-o", "b").stdout
    assert re.search(
        r"penalties  [\d.e-]+ on words \(for 1 topics each\), 0.2 on documents\n", lines
    )
    facts = json.loads(run("info", "b", "--json").stdout)
    assert (facts["topics_per_word"], facts["topics_per_document"]) == (1, "auto")
    assert facts["doc_penalty"] == pytest.approx(0.2)


def test_sparse_topics_say_how_many_words_they_have(run: Run, posts: Path) -> None:
    given = ("fit", posts, "--text", "body", "-m", "plsa", "-k", 3)
    result = run(*given, "-o", "m", "--smoothing", "-0.5")
    assert "topics     3, 10.0 words per topic on average" in result.stdout
    assert "zeros      66.67 % of all weights" in result.stdout
    assert "zeros" not in run(*given, "-o", "n").stdout


def test_classes_are_said_and_what_to_do_with_them(run: Run, posts: Path) -> None:
    given = ("fit", posts, "--text", "body", "-m", "medstc", "-k", 3, "-o", "m", "--force")
    result = run(*given, *CLASSES)
    assert "classes    3: bread, pets, ships\n" in result.stdout
    mentions(result, "laconic classify m ")
    facts = json.loads(run(*given, *CLASSES, "--json").stdout)
    assert facts["classes"] == ["bread", "pets", "ships"]


def test_a_classifier_without_classes(run: Run, posts: Path) -> None:
    result = run("fit", posts, "--text", "body", "-m", "medstc", "-q", "-o", "m", status=1)
    mentions(result, "laconic: error: medstc", str(posts), "--label")
    assert result.stderr.count("\n") == 1
    assert not Path("m").exists()


def test_classes_that_cannot_be_learned(run: Run, posts: Path) -> None:
    given = ("fit", posts, "--text", "body", "-m", "medstc", "-q", "-o", "m")
    mentions(run(*given, "--label", "grup", status=1), "posts.jsonl: ", "'grup'", "group")
    mentions(run(*given, "--label", "id", status=1), "laconic: error: ", "'d0'", "one document")
    Path("one.jsonl").write_text('{"text": "a cat and a cat", "group": "pets"}\n' * 3)
    given = ("fit", "one.jsonl", "--max-df", "1.0", "-m", "medstc", "-q", "-o", "m")
    result = run(*given, "--text", "text", *CLASSES, status=1)
    mentions(result, "laconic: error: ", "one class", "'pets'", "MedSTC")


def test_classes_of_a_store_need_no_option(run: Run, posts: Path) -> None:
    run("convert", posts, "-o", "posts.corpus", "--text", "body", *CLASSES)
    run("fit", "posts.corpus", "-m", "medstc", "-k", 3, "-q", "-o", "m")
    assert laconic.load("m").predict(["kitten and milk"]).tolist() == ["pets"]
