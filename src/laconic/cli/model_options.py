"""Command-line options of the models, and a function that builds a model from options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from laconic.cli.messages import in_options, option_names
from laconic.cli.param_types import (
    NON_NEGATIVE_FLOAT,
    POSITIVE_FLOAT,
    POSITIVE_INT,
    SEED,
    WORKERS,
    NumberAbove,
    PositiveOr,
    RegistryChoice,
    Smoothing,
)


def _engine(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """Check the name of an engine, but accept any address of a Dask scheduler."""
    if value is None or "://" in value:
        return value
    return RegistryChoice("laconic.engines:ENGINES", "name").convert(value, param, ctx)


COMMON_OPTIONS = {
    "n_components": click.option(
        "-k", "--topics", "n_components", type=POSITIVE_INT, help="Number of topics."
    ),
    "max_iter": click.option(
        "--max-iter", type=POSITIVE_INT, help="Maximum number of passes over the documents."
    ),
    "tol": click.option(
        "--tol",
        type=NON_NEGATIVE_FLOAT,
        help="Tolerance; the fit stops when a pass changes the model by less than this value.",
    ),
    "random_state": click.option(
        "--seed", "random_state", type=SEED, metavar="N", help="Random seed.  [default: 0]"
    ),
    "engine": click.option(
        "--engine",
        callback=_engine,
        metavar="NAME|ADDRESS",
        help="Where to run the computation: serial, threads, dask, or the address of a Dask "
        "scheduler. This option does not change the result.",
    ),
    "n_jobs": click.option(
        "--jobs",
        "n_jobs",
        type=WORKERS,
        help="Number of workers; a negative number counts back from all cores.  [default: all "
        "cores]",
    ),
    "checkpoint": click.option(
        "--checkpoint",
        metavar="FOLDER",
        help="Save the state of the fit in this folder after each pass. If the fit is killed, the "
        "same command continues where it stopped.",
    ),
}

SLSA_OPTIONS = {
    "init": click.option(
        "--init",
        type=RegistryChoice("laconic.models.sparse_lsa.starts:STARTS", "name"),
        help="How the topics are initialised: pivot, identity or random.  [default: pivot]",
    ),
    "groups": click.option(
        "--groups",
        metavar="FILE",
        help="GMT file with sets of words, such as the genes of pathways. Each topic keeps or "
        "removes whole sets. Use with --alpha.",
    ),
    "overlap": click.option(
        "--overlap",
        type=click.Choice(["copies", "smallest"]),
        help="What to do with words that are in several sets of --groups: copies keeps a copy in "
        "each set; smallest keeps a word only in its smallest set.  [default: copies]",
    ),
}

SC_OPTIONS = {
    "support": click.option(
        "--support",
        type=PositiveOr(int, "auto", "none"),
        help="Number of documents that should share a topic, so that a few documents cannot "
        "dominate the topic; auto means the number of documents divided by the number of topics, "
        "and none sets no limit.  [default: auto]",
    ),
}

PLSA_OPTIONS = {
    "doc_smoothing": click.option(
        "--doc-smoothing",
        type=NumberAbove(-1),
        help="Number added to the count of each topic in each document, like --smoothing for "
        "words.",
    ),
}

SCTM_OPTIONS = {
    "noise": click.option(
        "--noise",
        type=click.Choice(["counts", "none"]),
        help="counts gives the errors of frequent words and short documents less weight; none "
        "solves the objective of the paper.  [default: counts]",
    ),
    "correlated": click.option(
        "--correlated",
        is_flag=True,
        default=None,
        help="Also learn a graph of correlated topics, which 'laconic topics --graph' shows.",
    ),
    "graph_alpha": click.option(
        "--graph-alpha",
        type=NON_NEGATIVE_FLOAT,
        help="Penalty on the edges of the topic graph; a larger value gives fewer edges.",
    ),
}

CODING_OPTIONS = {
    "topics_per_word": click.option(
        "--topics-per-word",
        type=POSITIVE_FLOAT,
        help="Target for the average number of topics per word in a document.",
    ),
    "word_penalty": click.option(
        "--word-penalty",
        type=NON_NEGATIVE_FLOAT,
        help="Penalty on word codes; set either this option or --topics-per-word.",
    ),
    "word_norm": click.option(
        "--word-norm",
        type=click.Choice(["l1", "l2"]),
        help="Norm of the penalty on word codes: l1 gives few topics per word, l2 gives many "
        "topics.",
    ),
    "doc_penalty": click.option(
        "--doc-penalty",
        type=NON_NEGATIVE_FLOAT,
        help="Penalty on document codes; set either this option or --topics-per-document.",
    ),
    "doc_norm": click.option(
        "--doc-norm",
        type=click.Choice(["l1", "l2"]),
        help="Norm of the penalty on document codes: l1 gives few topics per document, l2 gives "
        "many topics.",
    ),
    "coupling": click.option(
        "--coupling",
        type=POSITIVE_FLOAT,
        help="How strongly word codes are pulled towards the code of their document.",
    ),
    "loss": click.option(
        "--loss",
        type=click.Choice(["poisson", "gaussian"]),
        help="Loss function.",
    ),
    "offset": click.option(
        "--offset",
        type=POSITIVE_FLOAT,
        help="Constant added to the mean in the logarithm of the Poisson loss.",
    ),
}

STC_OPTIONS = {
    "dictionary": click.option(
        "--dictionary",
        type=click.Choice(["coupled", "paper"]),
        help="How the topics are updated: 'coupled' uses document codes; 'paper' uses word codes, "
        "as in the paper that introduced STC.",
    ),
}

MEDSTC_OPTIONS = {
    "C": click.option(
        "--cost",
        "C",
        type=POSITIVE_FLOAT,
        help="Cost of a misclassification, like the parameter C of an SVM.",
    ),
    "margin": click.option(
        "--margin", type=POSITIVE_FLOAT, help="Required margin of the classifier."
    ),
}

PCP_OPTIONS = {
    "solver": click.option(
        "--solver",
        type=click.Choice(["exact", "factored"]),
        help="Algorithm: 'factored' handles corpora of any size and models noise; 'exact' solves "
        "the convex problem in memory.",
    ),
    "keywords_per_document": click.option(
        "--keywords-per-document",
        type=POSITIVE_FLOAT,
        help="Target for the average number of keywords per document.",
    ),
    "c": click.option(
        "--c",
        type=POSITIVE_FLOAT,
        help="Value of c in the sparsity penalty c / √max(documents, words). Needs --solver exact.",
    ),
}


SHARED_OPTIONS = {  # options of several models; their help names these models
    "words_per_topic": click.option(
        "--words-per-topic",
        type=POSITIVE_INT,
        help="Maximum number of words per topic (sc, slsa). Documents are still coded with all "
        "words, unless --codes projection is set.",
    ),
    "codes": click.option(
        "--codes",
        type=click.Choice(["sparse", "lasso", "projection"]),
        help="How documents are coded (sc, slsa): sparse gives each document few topics; "
        "projection is fast, but gives each document nearly all topics; lasso, only for sc, "
        "minimises the objective.  [default: sparse]",
    ),
    "positive": click.option(
        "--positive/--signed",
        default=None,
        help="With --signed, words may have negative weights (sc, slsa).  [default: positive]",
    ),
    "alpha": click.option(
        "--alpha",
        type=NON_NEGATIVE_FLOAT,
        help="Sparsity penalty: on codes (sc); on topics, instead of --words-per-topic (slsa); on "
        "codes, instead of --topics-per-document (sctm); or on keywords, instead of "
        "--keywords-per-document (pcp).",
    ),
    "smoothing": click.option(
        "--smoothing",
        type=Smoothing(),
        metavar="N|kl|none",
        help="In PLSA (plsa), number added to the count of each word in each topic; a negative "
        "number, such as -0.05, gives sparse topics. In SCTM (sctm), how to compute the "
        "probabilities of words that are not in a topic: 'kl' refits the topics by maximum "
        "likelihood, a number between 0 and 1 mixes that share of the overall word distribution "
        "into each topic, and 'none' leaves the topics unchanged.",
    ),
    "topics_per_document": click.option(
        "--topics-per-document",
        type=PositiveOr(float, "auto", "none"),
        help="Average number of topics per document (sc, slsa, plsa, sctm, stc, medstc, pcp). With "
        "auto, the weakest topics of each document are dropped, so that the average is at most "
        "5.5. With none, plsa, stc, medstc and pcp drop no topics; for other models, none means "
        "auto.  [default: auto]",
    ),
    "seeds": click.option(
        "--seeds",
        metavar="FILE",
        help="File with the topics that you expect (sc, slsa, plsa, sctm, stc, medstc). A line has "
        "the name of a topic and some of its words: 'space: nasa, orbit'. These topics come first, "
        "in the order of the file. 'nasa!' keeps a word out of all other topics, and '-car' out of "
        "this topic.",
    ),
    "seed_strength": click.option(
        "--seed-strength",
        type=NON_NEGATIVE_FLOAT,
        help="How strongly the topics of --seeds are held to their words (sc, slsa, plsa, sctm, "
        "stc, medstc); with 0, the seeds only determine the initial topics. Needs --seeds.  "
        "[default: 1]",
    ),
    "batch_size": click.option(
        "--batch-size",
        type=POSITIVE_INT,
        help="Number of documents after which the topics are updated (sc, sctm, stc). By default, "
        "topics are updated after each pass.",
    ),
    "forgetting": click.option(
        "--forgetting",
        type=NON_NEGATIVE_FLOAT,
        help="How fast the weight of earlier batches decays (sc, sctm); with 0, it does not decay. "
        "Needs --batch-size.",
    ),
}

HEADINGS = {
    "Model": COMMON_OPTIONS,
    "Several models": SHARED_OPTIONS,
    "Only sc": SC_OPTIONS,
    "Only slsa": SLSA_OPTIONS,
    "Only plsa": PLSA_OPTIONS,
    "Only sctm": SCTM_OPTIONS,
    "Only stc and medstc": CODING_OPTIONS,
    "Only stc": STC_OPTIONS,
    "Only medstc": MEDSTC_OPTIONS,
    "Only pcp": PCP_OPTIONS,
}
MODEL_OPTIONS = {name: option for table in HEADINGS.values() for name, option in table.items()}

# Maps each option to another option that must also be set.
REQUIRED_WITH = {
    "graph_alpha": "correlated",
    "forgetting": "batch_size",
    "overlap": "groups",
    "seed_strength": "seeds",
}


def make_model(name: str, weighting: str | None, values: Mapping[str, Any], verbose: int) -> Any:
    """Build the pipeline of a model; raise a usage error if the options contradict each other."""
    from laconic.models.pipeline import pipeline

    _check_owners(name, values)
    for option, required in REQUIRED_WITH.items():
        if option in values and required not in values:
            raise click.UsageError(f"{_option(option)} needs {_option(required)}; set both.")
    params = {name: None if value == "none" else value for name, value in values.items()}
    if "seeds" in params:  # read before the documents
        from laconic.io import read_seeds

        params["seeds"] = read_seeds(values["seeds"])
    model = pipeline(name, weighting=weighting, verbose=verbose, **params)
    try:
        model[-1].check_parameters()
    except ValueError as error:
        names = option_names(click.get_current_context().command)
        raise click.UsageError(in_options(str(error), names)) from None
    return model


def _check_owners(model: str, values: Mapping[str, Any]) -> None:
    """Raise a usage error if an option does not belong to the model."""
    from laconic.models import MODELS

    parameters = {name: set(model_class._get_param_names()) for name, model_class in MODELS.items()}
    for name, names in parameters.items():
        if name != "slsa":
            names.discard("init")  # Here `init` is an array, which no option can set.
    for name in values:
        if name not in parameters[model]:
            owners = [owner for owner in parameters if name in parameters[owner]]
            raise click.UsageError(
                f"{_option(name, values[name])} is not an option of {model}; it is an option of "
                f"{_listed(owners)}."
            )


def _option(name: str, value: Any = None) -> str:
    """Return the option that sets a parameter; if `value` is False, return its negative form."""
    params = click.get_current_context().command.params
    option = next(param for param in params if param.name == name)
    forms = option.secondary_opts if value is False else option.opts
    return max(forms, key=len)


def _listed(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
