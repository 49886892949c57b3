"""What there is to say of a fitted model, for programs and for people."""

from __future__ import annotations

from typing import Any

from laconic.cli.show import percent


def model_facts(estimator: Any) -> dict[str, Any]:
    """Size and state of a model with topics."""
    n_topics, n_words = estimator.components_.shape
    nonzeros = int((estimator.components_ != 0).sum())
    return {
        "words": n_words,
        "topics": n_topics,
        "nonzeros": nonzeros,
        "zeros": 1 - nonzeros / (n_topics * n_words),
        "passes": estimator.n_iter_,
        "converged": estimator.converged_,
    }


def model_in_words(facts: dict[str, Any]) -> dict[str, str]:
    """The same in lines."""
    state = "converged" if facts["converged"] else "not converged"
    return {
        "words": f"{facts['words']:,}",
        "topics": f"{facts['topics']:,}, {facts['nonzeros'] / facts['topics']:.1f} words each on "
        "average",
        "zeros": f"{percent(facts['zeros'])} of all weights",
        "passes": f"{facts['passes']}, {'interrupted' if facts.get('interrupted') else state}",
    }
