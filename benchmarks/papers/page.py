"""Generated parts of docs/papers.md: the headlines of all papers, and the thresholds."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.markdown import table
from benchmarks.papers import headlines_pcp, headlines_sctm, headlines_slsa, headlines_stc
from benchmarks.papers.headlines import (
    MEANING,
    Cell,
    Headline,
    Judged,
    Results,
    Verdict,
    counted,
    judge,
)
from benchmarks.papers.names import PCP, SCTM, SPARSE_LSA, STC

MODULES = {
    SPARSE_LSA: headlines_slsa,
    STC: headlines_stc,
    SCTM: headlines_sctm,
    PCP: headlines_pcp,
}
HEADLINES: tuple[Headline, ...] = tuple(
    headline for module in MODULES.values() for headline in module.HEADLINES
)
COLUMNS = (
    "paper",
    "what they say",
    "theirs",
    "their algorithm, by us",
    "laconic",
    "same data and protocol?",
    "seeds",
    "verdict",
)


def sections(results: Results) -> dict[str, list[str]]:
    """Return the generated sections of the page by name."""
    judged = [judge(headline, results) for headline in HEADLINES]
    return {
        "counts": [_counts(judged)],
        "headlines": table(COLUMNS, [_row(one, results) for one in judged]),
        "verdicts": [f"- **{verdict.value}**: {text}" for verdict, text in MEANING.items()],
        "different": _different(),
        "thresholds": _thresholds(),
    }


def benchmark_names() -> list[str]:
    """Return the names of the benchmarks behind the page, each once."""
    return list(dict.fromkeys(cell.benchmark for one in HEADLINES for cell in one.cells))


def _counts(judged: Sequence[Judged]) -> str:
    count = counted(judged)
    sentence = (
        f"Of {len(judged)} numbers and statements of the papers, our run of their algorithm "
        f"reproduces {count[Verdict.EQUAL]}, and {count[Verdict.READING]} more under a "
        f"reading that the paper leaves open; {count[Verdict.OURS]} hold only with laconic's "
        f"algorithm, and "
        f"{count[Verdict.NO]} do not hold. For {count[Verdict.NO_DATA]}, the data are not "
        "available."
    )
    waiting = count[Verdict.NOT_RUN]
    return f"{sentence} {waiting} wait for a run from committed code." if waiting else sentence


def _row(one: Judged, results: Results) -> list[str]:
    headline = one.headline
    return [
        f"{headline.paper}, {headline.where}",
        headline.says,
        headline.theirs,
        _linked(one.literal, headline.literal, results),
        _linked(one.ours, headline.ours, results),
        headline.same + (f" (reading: {headline.reading})" if headline.reading else ""),
        headline.seeds,
        f"**{one.verdict.value}**",
    ]


def _linked(text: str, cell: Cell | None, results: Results) -> str:
    """Link a value to the page with all rows of its benchmark."""
    if cell is None or cell.benchmark not in results:
        return text
    return f"[{text}](results/{cell.benchmark}.md)"


def _different() -> list[str]:
    lines = []
    for name, module in MODULES.items():
        lines += [f"- **{name}.** {sentence}" for sentence in module.DIFFERENT]
    return lines


def _thresholds() -> list[str]:
    rows = [(f"{one.paper}, {one.where}", one.says, one.judged) for one in HEADLINES if one.judged]
    return table(("paper", "what they say", "judged"), rows)
