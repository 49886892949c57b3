"""Train the classifier of MedSTC again after an edit."""

from __future__ import annotations

from typing import Any

import numpy as np

from laconic.corpus.corpus import Corpus
from laconic.corpus.matrices import dense
from laconic.errors import LaconicError
from laconic.fitted.pipeline_steps import transform_before
from laconic.models.edits.records import Record, edited


def with_classifier(estimator: Any, model: Any, record: Record, corpus: Any) -> Record:
    """Add a classifier that is trained on the codes of the edited topics to a record.

    Without a corpus, the record stays as it is.
    """
    if corpus is None:
        return record
    if not hasattr(estimator, "coef_"):
        raise LaconicError(
            "corpus= is only for MedSTC, whose classifier is trained again; "
            f"{type(estimator).__name__} has no classifier, so leave out corpus=."
        )
    if not isinstance(corpus, Corpus) or corpus.labels is None:
        raise LaconicError("corpus= must be a Corpus with labels, on which MedSTC is trained.")
    labels = np.searchsorted(estimator.classes_, corpus.labels)
    labels = np.minimum(labels, len(estimator.classes_) - 1)
    unknown = sorted(set(corpus.labels[estimator.classes_[labels] != corpus.labels].tolist()))
    missing = sorted(set(estimator.classes_.tolist()) - set(corpus.labels.tolist()))
    if unknown or missing:
        problem = f"the label {unknown[0]!r}" if unknown else f"no documents of {missing[0]!r}"
        raise LaconicError(f"The corpus has {problem}; pass documents of the classes of the fit.")
    from laconic.models.base import draw_seed
    from laconic.models.stc.margin import Machine

    coder = edited(estimator, record)
    machine = Machine(labels, estimator.C, draw_seed(estimator.random_state))
    codes = dense(coder.all_codes(transform_before(model, corpus)))
    classifier = machine.train(codes[machine.rows] if machine.is_sampled else codes)
    return {
        **record,
        "coef": estimator.margin * classifier.coef,
        "intercept": estimator.margin * classifier.intercept,
        "coef_before": np.array(estimator.coef_),
        "intercept_before": np.array(estimator.intercept_),
    }
