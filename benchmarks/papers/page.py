"""Generated parts of docs/papers.md and docs/papers-thresholds.md: rows, counts and thresholds."""

from __future__ import annotations

import re
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
KINDS = ("table", "figure", "section", "abstract")  # order of the rows of a paper
COLUMNS = (
    "where",
    "what they say",
    "theirs",
    "their algorithm, by us",
    "laconic",
    "same data and protocol?",
    "seeds",
    "verdict",
)


def sections(results: Results) -> dict[str, list[str]]:
    """Return the generated sections of docs/papers.md by name."""
    judged = [judge(headline, results) for headline in HEADLINES]
    index = [_index(paper, of_paper(judged, paper)) for paper in MODULES]
    found = {
        "counts": [_counts(judged), "", *index],
        "verdicts": [f"- **{verdict.value}**: {text}" for verdict, text in MEANING.items()],
    }
    for paper, module in MODULES.items():
        rows = [_row(one, results) for one in of_paper(judged, paper)]
        different = [f"- {sentence}" for sentence in module.DIFFERENT]
        found[paper] = [*table(COLUMNS, rows), "", "Where we did it differently:", "", *different]
    return found


def thresholds() -> dict[str, list[str]]:
    """Return the generated sections of docs/papers-thresholds.md by name."""
    rows = [(f"{one.paper}, {one.where}", one.says, one.judged) for one in HEADLINES if one.judged]
    return {"thresholds": table(("paper", "what they say", "judged"), rows)}


def of_paper(judged: Sequence[Judged], paper: str) -> list[Judged]:
    """Return the rows of a paper: tables first, then figures and sections, each by number."""
    return sorted((one for one in judged if one.headline.paper == paper), key=_place)


def _place(one: Judged) -> tuple[int, str]:
    kind, _, number = one.headline.where.partition(" ")
    return KINDS.index(kind), number


def benchmark_names() -> list[str]:
    """Return the names of the benchmarks behind the page, each once."""
    return list(dict.fromkeys(cell.benchmark for one in HEADLINES for cell in one.cells))


def _counts(judged: Sequence[Judged]) -> str:
    count = counted(judged)
    sentence = (
        f"Of {len(judged)} numbers and statements of the papers, our run of their algorithm "
        f"reproduces {count[Verdict.EQUAL]}, and {count[Verdict.READING]} more under a "
        f"reading that the paper leaves open; {count[Verdict.OURS]} hold only with laconic's "
        f"algorithm, and {count[Verdict.NO]} do not hold. For {count[Verdict.NO_DATA]}, the data "
        "or the programs are not to be had."
    )
    waiting = count[Verdict.NOT_RUN]
    return f"{sentence} {waiting} wait for a run from committed code." if waiting else sentence


def _index(paper: str, judged: Sequence[Judged]) -> str:
    """Return a line with a link to the paper, what the rows are about, and their verdicts."""
    places = dict.fromkeys(_item(one.headline.where) for one in judged)
    found = ", ".join(f"{n} {verdict.value}" for verdict, n in counted(judged).items() if n)
    return f"- [{paper}](#{paper.lower().replace(' ', '-')}): {' · '.join(places)} ({found})"


def _item(where: str) -> str:
    """Return the table or figure without its part: "table 2" for "table 2 (a)"."""
    return re.sub(r"( \([a-z]\)|, (left|right))$", "", where)


def _row(one: Judged, results: Results) -> list[str]:
    headline = one.headline
    return [
        headline.where,
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
