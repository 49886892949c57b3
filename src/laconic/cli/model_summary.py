"""Summary of a fitted model, as data and as text."""

from __future__ import annotations

from typing import Any

from laconic.wording import percent, some


def model_facts(estimator: Any) -> dict[str, Any]:
    """Return the size and state of a fitted model, and details that only some models have."""
    n_topics, n_words = estimator.components_.shape
    nonzeros = int((estimator.components_ != 0).sum())
    facts = {
        "words": n_words,
        "topics": n_topics,
        "nonzeros": nonzeros,
        "zeros": 1 - nonzeros / (n_topics * n_words),
        "passes": estimator.n_iter_,
        "converged": estimator.converged_,
    }
    if hasattr(estimator, "word_topics_"):
        facts |= {
            "word_penalty": float(estimator.word_penalty_),
            "topics_per_word": estimator.topics_per_word,
            "doc_penalty": float(estimator.doc_penalty_),
            "topics_per_document": estimator.topics_per_document,
        }
    elif hasattr(estimator, "topics_per_document"):
        facts["topics_per_document"] = estimator.topics_per_document
        is_float = isinstance(getattr(estimator, "alpha_", None), float)
        if is_float and not hasattr(estimator, "keywords_"):  # a penalty on codes
            facts["alpha"] = estimator.alpha_
    if hasattr(estimator, "topic_precision_"):
        precision = estimator.topic_precision_
        facts["edges"] = (int((precision != 0).sum()) - len(precision)) // 2
    if hasattr(estimator, "classes_"):
        facts["classes"] = estimator.classes_.tolist()
    return facts


def format_model(facts: dict[str, Any]) -> dict[str, str]:
    """Format `model_facts`; the words per topic are included only if some weights are zero."""
    state = "converged" if facts["converged"] else "not converged"
    words = facts["nonzeros"] / facts["topics"]
    lines = {"words": f"{facts['words']:,}", "topics": f"{facts['topics']:,}"}
    if facts["zeros"] > 0:
        lines["topics"] += f", {words:,.1f} words per topic on average"
        lines["zeros"] = f"{percent(facts['zeros'])} of all weights"
    if "word_penalty" in facts:
        lines["penalties"] = ", ".join(
            [
                _format_penalty(facts["word_penalty"], "words", facts["topics_per_word"]),
                _format_penalty(facts["doc_penalty"], "documents", facts["topics_per_document"]),
            ]
        )
    elif "alpha" in facts:
        target = facts["topics_per_document"]
        lines["penalty"] = _format_penalty(facts["alpha"], "documents", target)
    if "edges" in facts:
        lines["graph"] = f"{facts['edges']:,} pair{'' if facts['edges'] == 1 else 's'} of topics"
    if "classes" in facts:
        lines["classes"] = f"{len(facts['classes']):,}: {some(facts['classes'])}"
    lines["passes"] = f"{facts['passes']}, {'interrupted' if facts.get('interrupted') else state}"
    return lines


def _format_penalty(penalty: float, noun: str, target: float | str | None) -> str:
    has_target = target is not None and not isinstance(target, str)
    target_text = f" (for {target:g} topics each)" if has_target else ""
    return f"{penalty:.3g} on {noun}{target_text}"
