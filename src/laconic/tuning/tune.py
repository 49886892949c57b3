"""Choose the number of topics, then the sparsity, and fit the chosen model to all documents."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from numbers import Integral
from typing import Any

import polars as pl
from sklearn.exceptions import ConvergenceWarning

from laconic.corpus.corpus import Corpus
from laconic.errors import LaconicError, warn
from laconic.models import MODELS
from laconic.models.pipeline import pipeline
from laconic.progress import status
from laconic.tuning.choice import Choice, choose, has_passed, reasons_for_size, reasons_for_sparsity
from laconic.tuning.result import Tuning, format_setting
from laconic.tuning.sizes import COARSE, FINE, Sizes, between, doubled, read_sizes
from laconic.tuning.sparsity import PATHS, Step, is_sparsity_set, run_path, sparsest, values_for
from laconic.tuning.trials import Documents, Trial, divide, labelled, run_trial
from laconic.wording import plural

SAMPLE = 3_000  # maximum number of documents in a search
FEW_DOCUMENTS = 1_500  # up to this number of documents, 5 folds are used, otherwise 3


def tune(
    corpus: Any,
    model: str = "sc",
    *,
    n_components: Any = None,
    sparsity: bool = True,
    weighting: str | None = None,
    folds: int | None = None,
    sample: int = SAMPLE,
    refit: bool = True,
    random_state: int = 0,
    verbose: int = 0,
    **params: Any,
) -> Tuning:
    """Choose the number of topics and the sparsity of a model.

    Every number of topics is evaluated by cross-validation. Two things are measured: the share of
    the variance of held-out words that the topics explain (see `held_out_score`), and how similar
    the topics of the different fits are (recurrence). The number of topics for which the product of
    the two is highest is chosen. If this product has no clear peak, or if the model is a
    classifier, other rules apply; see `laconic.tuning.choice`. Then the model is made sparser step
    by step, each fit initialised with the topics of the previous fit, and the sparsest setting
    within one standard error of the best setting is chosen.

    Parameters
    ----------
    corpus : Corpus, sparse matrix or array of counts, or list of texts
        A classifier learns from the labels of the Corpus and ignores documents without a label.
    model : str, default="sc"
        Name in ``laconic.models.MODELS``.
    n_components : sequence of int or str, optional
        Numbers of topics to try, such as ``[5, 10, 20]``, or the ends of a range to search, such as
        ``"5:100"``. By default, the search is from 2 to 200, but with at most one topic per five
        documents.
    sparsity : bool, default=True
        Whether to choose the sparsity too; ignored if `params` already determine the sparsity.
    weighting : str, optional
        As in `laconic.pipeline`.
    folds : int, optional
        Number of cross-validation folds; by default 5, or 3 for more than 1500 documents.
    sample : int, default=3000
        Maximum number of documents in the search. The final fit uses all documents.
    refit : bool, default=True
        Whether to fit the chosen model to all documents.
    random_state : int, default=0
        Seed of the sample, the folds and the fits.
    verbose : int, default=0
        If 1, the current fit is shown on a terminal.
    **params
        Other parameters of the model, used in all fits.

    Returns
    -------
    Tuning
        Its attributes include ``curve``, ``path``, ``best_params``, ``why`` and ``model``; print it
        to see the tables and the reasons.

    Examples
    --------
    >>> import laconic
    >>> corpus, _ = laconic.datasets.make_topics(200, 300, 5, random_state=1)
    >>> tuning = laconic.tune(corpus, "plsa", sparsity=False)
    >>> tuning.best_params
    {'model__n_components': 5}
    >>> tuning.model.transform(corpus).shape
    (200, 5)
    """
    corpus = as_corpus(corpus)
    if folds is None:
        folds = 5 if min(len(corpus), sample) <= FEW_DOCUMENTS else 3
    check_request(model, params, folds, sample, random_state)
    by_class = hasattr(MODELS[model], "predict")
    if by_class:
        corpus = labelled(corpus)
    documents = divide(
        corpus, folds=folds, sample=sample, by_class=by_class, random_state=random_state
    )
    sizes = read_sizes(n_components, min(len(fold.train) for fold in documents.folds))
    search = Search(model, documents, sizes, weighting, random_state, verbose, params)
    choice, steps = search.run(sparsity)
    best = {"n_components": choice.size, **search.settings(steps)}
    tuned = None
    if refit and not search.interrupted:
        with search.progress("fitting all documents"):
            tuned = search.make(**best).fit(corpus)
    return Tuning(
        name=model,
        n_components=choice.size,
        curve=curve_frame(search.trials),
        path=path_frame(steps) if steps else None,
        best_params={f"model__{name}": value for name, value in best.items()},
        why=[
            *reasons_for_size(search.trials, choice, sizes, documents),
            *reasons_for_sparsity(PATHS[model], steps),
        ],
        model=tuned,
        parameter=PATHS[model].parameter if steps else None,
        zeros_of=PATHS[model].zeros_in if steps else None,
        interrupted=search.interrupted,
        rule=choice.rule,
    )


def as_corpus(documents: Any) -> Corpus:
    """Convert counts or texts to a Corpus."""
    if isinstance(documents, Corpus):
        return documents
    if isinstance(documents, (list, tuple)) and documents and isinstance(documents[0], str):
        from laconic.io import read

        return read(list(documents))
    return Corpus(documents)


def check_request(
    model: str, params: dict[str, Any], folds: int, sample: int, random_state: int
) -> None:
    """Raise an error if the parameters are invalid, before any model is fitted."""
    pipeline(model, **params)
    if params.get("solver") == "exact":
        raise LaconicError(
            "PCP with solver='exact' determines the number of topics and cannot be tuned; set "
            "solver='factored'."
        )
    limits = {"folds": (folds, 2), "sample": (sample, 1), "random_state": (random_state, 0)}
    for name, (value, least) in limits.items():
        if not isinstance(value, Integral) or not least <= value < 2**32:
            raise LaconicError(f"{name} must be an integer of at least {least}; got {value!r}.")


class Search:
    """A search for the size and sparsity of a model, with the trials of the search."""

    def __init__(
        self,
        name: str,
        documents: Documents,
        sizes: Sizes,
        weighting: str | None,
        random_state: int,
        verbose: int,
        params: dict[str, Any],
    ) -> None:
        self.name = name
        self.documents = documents
        self.sizes = sizes
        self.weighting = weighting
        self.random_state = random_state
        self.verbose = verbose
        self.params = params
        self.trials: dict[int, Trial] = {}
        self.interrupted = False

    def make(self, **settings: Any) -> Any:
        """Build an unfitted pipeline."""
        params = {"random_state": self.random_state, **self.params, **settings}
        return pipeline(self.name, weighting=self.weighting, **params)

    def run(self, sparsity: bool) -> tuple[Choice, list[Step]]:
        """Choose the size and run the sparsity path; after Ctrl-C, choose among finished trials."""
        steps: list[Step] = []
        try:
            choice = self.find_size()
            if sparsity and not is_sparsity_set(PATHS[self.name], self.params):
                self.find_sparsity(choice.size, steps)
        except KeyboardInterrupt:
            if not self.trials:
                raise
            self.interrupted = True
            choice = choose(self.trials, self.sizes.largest)
            warn(
                f"The search was interrupted after it tried {plural(len(self.trials), 'number')} "
                "of topics; the best number so far was chosen, but no model was fitted with it.",
                ConvergenceWarning,
            )
        return choice, steps

    def find_size(self) -> Choice:
        """Search a coarse grid, then refine around the best size so far."""
        if self.sizes.explicit:
            for size in self.sizes.explicit:
                self.try_size(size)
            return choose(self.trials, self.sizes.largest)
        for size in doubled(self.sizes.smallest, self.sizes.largest):
            self.try_size(size)
            if has_passed(self.trials):
                break
        while True:
            choice = choose(self.trials, self.sizes.largest)
            # A knee is not sharp, so a coarse grid is enough.
            fineness = COARSE if choice.rule == "knee" else FINE
            finer = between(list(self.trials), choice.size, fineness)
            if not finer:
                return choice
            for size in finer:
                self.try_size(size)

    def try_size(self, size: int) -> None:
        with self.progress(f"{size} topics"):
            self.trials[size] = run_trial(
                lambda: self.make(n_components=size),
                self.documents,
                random_state=self.random_state,
            )

    def find_sparsity(self, size: int, steps: list[Step]) -> None:
        """Run the path; append each finished step to `steps`, so that Ctrl-C loses no step."""
        path = PATHS[self.name]
        values = values_for(path, size, self.documents.corpus.shape[1])
        trials = run_path(
            path,
            values,
            lambda **params: self.make(n_components=size, **params),
            self.documents,
            self.random_state,
        )
        for value in values:
            with self.progress(f"{size} topics, {path.parameter} {format_setting(value)}"):
                steps.append(next(trials))

    def settings(self, steps: Sequence[Step]) -> dict[str, Any]:
        """Return the sparsity parameter chosen on the path, or {} if the default was chosen."""
        if not steps:
            return {}
        value = sparsest(steps).value
        return {} if value is None else {PATHS[self.name].parameter: value}

    def progress(self, task: str) -> AbstractContextManager[Any]:
        """Show the current fit on a terminal."""
        tried = f", {len(self.trials)} tried" if self.trials else ""
        return status(f"Tuning {self.name}: {task}{tried}", shown=bool(self.verbose))


def curve_frame(trials: dict[int, Trial]) -> pl.DataFrame:
    """Return one row per size, in increasing order."""
    rows = []
    for size in sorted(trials):
        trial = trials[size]
        row: dict[str, Any] = {"n_components": size}
        if trial.right is not None:
            row |= {"accuracy": trial.accuracy, "accuracy_error": trial.accuracy_error}
        row |= {
            "explained": trial.prediction.explained,
            "standard_error": trial.prediction.standard_error,
            "recurrence": trial.recurrence,
            "score": trial.score,
            "zeros": trial.zeros,
            "seconds": trial.seconds,
        }
        rows.append(row)
    return pl.DataFrame(rows)


def path_frame(steps: Sequence[Step]) -> pl.DataFrame:
    """Return one row per setting, from dense to sparse."""
    return pl.DataFrame(
        [
            {
                "value": format_setting(step.value),
                "zeros": step.trial.zeros,
                "metric": step.trial.metric,
                "standard_error": step.trial.standard_error,
                "recurrence": step.trial.recurrence,
                "seconds": step.trial.seconds,
            }
            for step in steps
        ]
    )
