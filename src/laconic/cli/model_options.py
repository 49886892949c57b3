"""Options of the models, and the model that they make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from laconic.cli.messages import in_options, option_names
from laconic.cli.param_types import NOT_NEGATIVE, POSITIVE, Above, AtLeast, Known, Smoothing


def _engine(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """An engine by name, or the address of a Dask scheduler."""
    if value is None or "://" in value:
        return value
    return Known("laconic.engines:ENGINES", "name").convert(value, param, ctx)


ALL = {
    "n_components": click.option(
        "-k", "--topics", "n_components", type=POSITIVE, help="Number of topics."
    ),
    "max_iter": click.option("--max-iter", type=POSITIVE, help="Most passes over the documents."),
    "tol": click.option(
        "--tol", type=NOT_NEGATIVE, help="Stop when a pass changes the fit by less than this."
    ),
    "random_state": click.option(
        "--seed", "random_state", type=AtLeast(int, 0), help="Seed of the start."
    ),
    "engine": click.option(
        "--engine",
        callback=_engine,
        metavar="NAME|ADDRESS",
        help="Where to run: serial, threads, dask, or the address of a Dask scheduler. The result "
        "is the same.",
    ),
    "n_jobs": click.option(
        "--jobs", "n_jobs", type=POSITIVE, help="Workers.  [default: all cores]"
    ),
}

SLSA = {
    "words_per_topic": click.option(
        "--words-per-topic", type=POSITIVE, help="Words each topic should keep, about."
    ),
    "positive": click.option(
        "--positive/--signed",
        default=None,
        help="Whether words may count against a topic.  [default: positive]",
    ),
    "init": click.option(
        "--init",
        type=Known("laconic.models.sparse_lsa.starts:STARTS", "name"),
        help="Where the fit starts.",
    ),
}

PLSA = {
    "doc_smoothing": click.option(
        "--doc-smoothing", type=Above(-1), help="As --smoothing, for the topics of a document."
    ),
}

SCTM = {
    "correlated": click.option(
        "--correlated",
        is_flag=True,
        default=None,
        help="Learn which topics go together too; laconic topics --graph shows it.",
    ),
    "graph_alpha": click.option(
        "--graph-alpha",
        type=NOT_NEGATIVE,
        help="Strength of the penalty on that graph: fewer pairs of topics.",
    ),
    "forgetting": click.option(
        "--forgetting",
        type=NOT_NEGATIVE,
        help="With --batch-size: how fast earlier documents fade; 0 for never.",
    ),
}

CODING = {
    "topics_per_word": click.option(
        "--topics-per-word",
        type=Above(0),
        help="Topics a word should have in a document, on average.",
    ),
    "word_penalty": click.option(
        "--word-penalty",
        type=NOT_NEGATIVE,
        help="Strength of the penalty on words, instead of a number of topics.",
    ),
    "word_norm": click.option(
        "--word-norm",
        type=click.Choice(["l1", "l2"]),
        help="That penalty: l1 leaves words few topics, l2 many.",
    ),
    "doc_penalty": click.option(
        "--doc-penalty",
        type=NOT_NEGATIVE,
        help="Strength of the penalty on documents, instead of a number of topics.",
    ),
    "doc_norm": click.option(
        "--doc-norm",
        type=click.Choice(["l1", "l2"]),
        help="That penalty: l1 leaves documents few topics, l2 many.",
    ),
    "coupling": click.option(
        "--coupling",
        type=Above(0),
        help="How close the topics of a word are to those of its document.",
    ),
    "loss": click.option(
        "--loss",
        type=click.Choice(["poisson", "gaussian"]),
        help="What measures the fit.",
    ),
    "offset": click.option(
        "--offset", type=Above(0), help="Added to the mean in the logarithm of the Poisson loss."
    ),
}

STC = {
    "dictionary": click.option(
        "--dictionary",
        type=click.Choice(["coupled", "paper"]),
        help="How topics follow from codes.",
    ),
}

MEDSTC = {
    "C": click.option(
        "--cost", "C", type=Above(0), help="What a document on the wrong side costs."
    ),
    "margin": click.option(
        "--margin", type=Above(0), help="How far documents should be on the right side."
    ),
}

PCP = {
    "solver": click.option(
        "--solver",
        type=click.Choice(["exact", "factored"]),
        help="factored for any size, with room for noise; exact for the convex problem, in memory.",
    ),
    "keywords_per_document": click.option(
        "--keywords-per-document",
        type=Above(0),
        help="Keywords a document should have, on average.",
    ),
    "c": click.option(
        "--c", type=Above(0), help="With --solver exact: alpha is this over √max(documents, words)."
    ),
}

SEVERAL = {  # each names its models, as the headings of the others do
    "alpha": click.option(
        "--alpha",
        type=NOT_NEGATIVE,
        help="Strength of the penalty, instead of a number of words (slsa), of topics (sctm) or of "
        "keywords (pcp).",
    ),
    "smoothing": click.option(
        "--smoothing",
        type=Smoothing(),
        metavar="N|kl|none",
        help="What is added to the count of each word in each topic, below 0, such as -0.05, for "
        "sparse topics (plsa); or how words outside of a topic get a probability: kl for a refit "
        "to the likelihood, a number below 1 for that share of all words, or none (sctm).",
    ),
    "topics_per_document": click.option(
        "--topics-per-document",
        type=Above(0),
        help="Topics a document should have, on average (sctm, stc, medstc).",
    ),
    "batch_size": click.option(
        "--batch-size",
        type=POSITIVE,
        help="Update the topics after so many documents, not after each pass (sctm, stc).",
    ),
}

HEADINGS = {
    "Model": ALL,
    "Only slsa": SLSA,
    "Only plsa": PLSA,
    "Only sctm": SCTM,
    "Only stc and medstc": CODING,
    "Only stc": STC,
    "Only medstc": MEDSTC,
    "Only pcp": PCP,
    "Some models": SEVERAL,
}
MODEL = {name: option for table in HEADINGS.values() for name, option in table.items()}

NEED = {"graph_alpha": "correlated", "forgetting": "batch_size"}  # without effect otherwise


def make_model(name: str, weighting: str | None, values: Mapping[str, Any], verbose: int) -> Any:
    """The pipeline of a model with the options given, or a usage error if they contradict."""
    from laconic.models.pipeline import pipeline

    _check_owners(name, values)
    for option, needed in NEED.items():
        if option in values and needed not in values:
            raise click.UsageError(f"{_option(option)} is for {_option(needed)}; give both.")
    params = {name: None if value == "none" else value for name, value in values.items()}
    model = pipeline(name, weighting=weighting, verbose=verbose, **params)
    try:
        model[-1].check_parameters()
    except ValueError as error:
        names = option_names(click.get_current_context().command)
        raise click.UsageError(in_options(str(error), names)) from None
    return model


def _check_owners(model: str, values: Mapping[str, Any]) -> None:
    """Refuse options that the model does not have."""
    from laconic.models import MODELS

    parameters = {name: set(made._get_param_names()) for name, made in MODELS.items()}
    for name, names in parameters.items():
        if name != "slsa":
            names.discard("init")  # topics to start from, which cannot be given here
    for name in values:
        if name not in parameters[model]:
            owners = [owner for owner in parameters if name in parameters[owner]]
            raise click.UsageError(
                f"{_option(name, values[name])} is not an option of {model}; {_listed(owners)} "
                f"{'has' if len(owners) == 1 else 'have'} it."
            )


def _option(name: str, value: Any = None) -> str:
    """What an option is called on the command line; of a switch the side that was taken."""
    params = click.get_current_context().command.params
    option = next(param for param in params if param.name == name)
    sides = option.secondary_opts if value is False else option.opts
    return max(sides, key=len)


def _listed(names: Sequence[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
