"""The search: number of topics first, then how sparse, then one fit to all documents."""

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
from laconic.tuning.result import Tuning, shown
from laconic.tuning.sizes import COARSE, FINE, Sizes, between, doubled, read_sizes
from laconic.tuning.sparsity import PATHS, Step, follow, is_told, sparsest, values_for
from laconic.tuning.trials import Documents, Trial, divide, labelled, run_trial

SAMPLE = 3_000  # documents that a search looks at
FEW_DOCUMENTS = 1_500  # up to here each fit sees four fifths of them, beyond two thirds


def tune(
    corpus: Any,
    model: str = "slsa",
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
    """Choose the number of topics of a model and how sparse it is.

    Every number of topics is fitted once for each part of the documents, left out in turn. Two
    things are measured: what share of the words of the documents left out the topics foretell
    (see `held_out_score`), and how far the topics come again from fit to fit. The number with the
    highest product of both is taken; see `laconic.tuning.choice` for text that has no such peak,
    and for classifiers. Then the model is made sparser step by step, each fit starting from the
    topics of the one before, and the sparsest setting is taken that is within one standard error
    of the best.

    Parameters
    ----------
    corpus : Corpus, sparse matrix or array of counts, or list of texts
        Classes, for a model that learns from them, are the labels of the Corpus; documents without
        one are left out.
    model : str, default="slsa"
        Name in ``laconic.models.MODELS``.
    n_components : sequence of int or str, optional
        Numbers of topics to try, such as ``[5, 10, 20]``; or the ends of a range to search, as in
        ``"5:100"``. By default from 2 to 200, but no more than one for five documents.
    sparsity : bool, default=True
        Whether to look for sparsity too. Not done where `params` say how sparse the model is.
    weighting : str, optional
        As in `laconic.pipeline`.
    folds : int, optional
        Parts in which the documents are left out in turn; 5 by default, 3 for more than 1500
        documents.
    sample : int, default=3000
        Most documents that the search looks at. The model is fitted to all of them.
    refit : bool, default=True
        Whether to fit the model with what was chosen to all documents.
    random_state : int, default=0
        Seed of the sample, the parts and the fits.
    verbose : int, default=0
        1 says on a terminal what is being fitted.
    **params
        Other parameters of the model, the same in all fits.

    Returns
    -------
    Tuning
        ``curve``, ``path``, ``best_params``, ``why`` and ``model``; printed, it explains itself.

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
    sizes = read_sizes(n_components, min(len(part.fitted) for part in documents.parts))
    search = Search(model, documents, sizes, weighting, random_state, verbose, params)
    choice, steps = search.run(sparsity)
    best = {"n_components": choice.size, **search.settings(steps)}
    tuned = None
    if refit and not search.interrupted:
        with search.saying("fitting all documents"):
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
        zeros_of=PATHS[model].of if steps else None,
        interrupted=search.interrupted,
    )


def as_corpus(documents: Any) -> Corpus:
    """A Corpus from counts or texts."""
    if isinstance(documents, Corpus):
        return documents
    if isinstance(documents, (list, tuple)) and documents and isinstance(documents[0], str):
        from laconic.io import read

        return read(list(documents))
    return Corpus(documents)


def check_request(
    model: str, params: dict[str, Any], folds: int, sample: int, random_state: int
) -> None:
    """Refuse what cannot be searched, before anything is fitted."""
    pipeline(model, **params)
    if params.get("solver") == "exact":
        raise LaconicError(
            "The rank of solver='exact' of PCP comes out by itself, so there is nothing to choose; "
            "use solver='factored'."
        )
    limits = {"folds": (folds, 2), "sample": (sample, 1), "random_state": (random_state, 0)}
    for name, (value, least) in limits.items():
        if not isinstance(value, Integral) or not least <= value < 2**32:
            raise LaconicError(f"{name} must be a whole number of {least} or more; got {value!r}.")


class Search:
    """The trials of one search."""

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
        """An unfitted pipeline."""
        given = {"random_state": self.random_state, **self.params, **settings}
        return pipeline(self.name, weighting=self.weighting, **given)

    def run(self, sparsity: bool) -> tuple[Choice, list[Step]]:
        """Size and path; Ctrl-C ends the search with what has been tried."""
        steps: list[Step] = []
        try:
            choice = self.find_size()
            if sparsity and not is_told(PATHS[self.name], self.params):
                self.find_sparsity(choice.size, steps)
        except KeyboardInterrupt:
            if not self.trials:
                raise
            self.interrupted = True
            choice = choose(self.trials, self.sizes.most)
            warn(
                f"The search was stopped after {len(self.trials)} numbers of topics; the choice is "
                "among these, and no model was fitted.",
                ConvergenceWarning,
            )
        return choice, steps

    def find_size(self) -> Choice:
        """Coarse, then finer around the choice so far."""
        if self.sizes.given:
            for size in self.sizes.given:
                self.try_size(size)
            return choose(self.trials, self.sizes.most)
        for size in doubled(self.sizes.least, self.sizes.most):
            self.try_size(size)
            if has_passed(self.trials):
                break
        while True:
            choice = choose(self.trials, self.sizes.most)
            fineness = COARSE if choice.rule == "knee" else FINE  # a knee is no sharp thing
            finer = between(list(self.trials), choice.size, fineness)
            if not finer:
                return choice
            for size in finer:
                self.try_size(size)

    def try_size(self, size: int) -> None:
        with self.saying(f"{size} topics"):
            self.trials[size] = run_trial(
                lambda: self.make(n_components=size),
                self.documents,
                random_state=self.random_state,
            )

    def find_sparsity(self, size: int, steps: list[Step]) -> None:
        """Fills `steps` one by one, so that an interrupted path is not lost."""
        path = PATHS[self.name]
        values = values_for(path, size, self.documents.corpus.shape[1])
        trials = follow(
            path,
            values,
            lambda **given: self.make(n_components=size, **given),
            self.documents,
            self.random_state,
        )
        for value in values:
            with self.saying(f"{size} topics, {path.parameter} {shown(value)}"):
                steps.append(next(trials))

    def settings(self, steps: Sequence[Step]) -> dict[str, Any]:
        """The parameter that the path chose; nothing where that is the model's own."""
        if not steps:
            return {}
        value = sparsest(steps).value
        return {} if value is None else {PATHS[self.name].parameter: value}

    def saying(self, what: str) -> AbstractContextManager[Any]:
        """Show on a terminal what is being done."""
        tried = f", {len(self.trials)} tried" if self.trials else ""
        return status(f"Tuning {self.name}: {what}{tried}", shown=bool(self.verbose))


def curve_frame(trials: dict[int, Trial]) -> pl.DataFrame:
    """One row for each size, in rising order."""
    rows = []
    for size in sorted(trials):
        trial = trials[size]
        row: dict[str, Any] = {"n_components": size}
        if trial.right is not None:
            row |= {"accuracy": trial.accuracy, "accuracy_error": trial.accuracy_error}
        row |= {
            "foretold": trial.foretold.share,
            "standard_error": trial.foretold.standard_error,
            "stability": trial.stability,
            "score": trial.score,
            "zeros": trial.zeros,
            "seconds": trial.seconds,
        }
        rows.append(row)
    return pl.DataFrame(rows)


def path_frame(steps: Sequence[Step]) -> pl.DataFrame:
    """One row for each setting, from dense to sparse."""
    return pl.DataFrame(
        [
            {
                "value": shown(step.value),
                "zeros": step.trial.zeros,
                "measure": step.trial.measure,
                "standard_error": step.trial.standard_error,
                "stability": step.trial.stability,
                "seconds": step.trial.seconds,
            }
            for step in steps
        ]
    )
