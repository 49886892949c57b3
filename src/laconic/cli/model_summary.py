"""Summary of a fitted model, as data and as text."""

from __future__ import annotations

from typing import Any

from laconic.wording import Nouns, percent, plural, some


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
    if hasattr(estimator, "group_members_"):
        facts["groups"] = _group_facts(estimator)
    if hasattr(estimator, "seed_documents_"):
        found = zip(estimator.seed_names_, estimator.seed_documents_.tolist(), strict=True)
        facts["seeds"] = [{"name": str(name), "documents": count} for name, count in found]
    if hasattr(estimator, "topic_precision_"):
        precision = estimator.topic_precision_
        facts["edges"] = (int((precision != 0).sum()) - len(precision)) // 2
    if hasattr(estimator, "classes_"):
        facts["classes"] = estimator.classes_.tolist()
    return facts


def _group_facts(estimator: Any) -> dict[str, int]:
    """Count the sets of words, and the words that are in at least one set."""
    in_sets = estimator.group_members_[estimator.group_sizes_ > 0]
    return {"sets": int(in_sets.shape[0]), "words": len(set(in_sets.indices.tolist()))}


def _format_groups(groups: dict[str, int], nouns: Nouns) -> str:
    return f"{plural(groups['sets'], 'set')} with {nouns.n_terms(groups['words'])}"


def format_model(facts: dict[str, Any], nouns: Nouns | None = None) -> dict[str, str]:
    """Format `model_facts`; the words per topic are included only if some weights are zero."""
    nouns = nouns or Nouns()
    state = "converged" if facts["converged"] else "not converged"
    words = facts["nonzeros"] / facts["topics"]
    lines = {nouns.terms: f"{facts['words']:,}", "topics": f"{facts['topics']:,}"}
    if facts["zeros"] > 0:
        lines["topics"] += f", {words:,.1f} {nouns.terms} per topic on average"
        lines["zeros"] = f"{percent(facts['zeros'])} of all weights"
    if "word_penalty" in facts:
        lines["penalties"] = ", ".join(
            [
                _format_penalty(facts["word_penalty"], nouns.terms, facts["topics_per_word"]),
                _format_penalty(facts["doc_penalty"], nouns.items, facts["topics_per_document"]),
            ]
        )
    elif "alpha" in facts:
        target = facts["topics_per_document"]
        lines["penalty"] = _format_penalty(facts["alpha"], nouns.items, target)
    if "groups" in facts:
        lines["groups"] = _format_groups(facts["groups"], nouns)
    if "seeds" in facts:
        lines |= _format_seeds(facts["seeds"], nouns)
    if "edges" in facts:
        lines["graph"] = f"{facts['edges']:,} pair{'' if facts['edges'] == 1 else 's'} of topics"
    if "classes" in facts:
        lines["classes"] = f"{len(facts['classes']):,}: {some(facts['classes'])}"
    lines["passes"] = f"{facts['passes']}, {'interrupted' if facts.get('interrupted') else state}"
    return lines


def _format_seeds(seeds: list[dict[str, Any]], nouns: Nouns) -> dict[str, str]:
    """Say in how many documents the topic of each seed is the strongest topic."""
    found = [f"{seed['name']} {seed['documents']:,}" for seed in seeds if seed["documents"]]
    empty = [seed["name"] for seed in seeds if not seed["documents"]]
    lines = {}
    if found:
        lines["seeds"] = f"{nouns.items} found: {some(found, 20)}"
    if empty:
        label = "seeds without" if found else "seeds"
        lines[label] = f"no {nouns.items} found: {some(empty, 20)}"
    return lines


def _format_penalty(penalty: float, noun: str, target: float | str | None) -> str:
    has_target = target is not None and not isinstance(target, str)
    target_text = f" (for {target:g} topics each)" if has_target else ""
    return f"{penalty:.3g} on {noun}{target_text}"
