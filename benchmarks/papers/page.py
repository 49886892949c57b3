"""Generated parts of docs/papers.md and docs/papers-thresholds.md: rows, counts and thresholds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from string import ascii_lowercase

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
    number_of,
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
KINDS = ("table", "figure", "figures", "section", "abstract")  # order of the rows of a paper
LEAD = "Where we did it differently:"
DIFFERS = "no: "  # begins a difference; if several rows share it, it is a lettered note
COLUMNS = (
    "where",
    "what they say",
    "theirs",
    "their method, by us",
    "laconic",
    "same data and protocol?",
    "seeds",
    "verdict",
)


def sections(results: Results) -> dict[str, list[str]]:
    """Return the generated sections of docs/papers.md by name."""
    judged = [judge(headline, results) for headline in HEADLINES]
    index = [_index(paper, of_paper(judged, paper)) for paper in MODULES]
    used = [verdict for verdict, _ in MEANING.items() if any(o.verdict is verdict for o in judged)]
    found = {
        "counts": [*_counts(judged), "", *index],
        "verdicts": [f"- **{verdict.value}**: {MEANING[verdict]}" for verdict in used],
    }
    for paper, module in MODULES.items():
        found[paper] = _table(of_paper(judged, paper), results, module.DIFFERENT)
    return found


def thresholds() -> dict[str, list[str]]:
    """Return the generated sections of docs/papers-thresholds.md by name."""
    rows = [(f"{one.paper}, {one.where}", one.says, one.judged) for one in HEADLINES if one.judged]
    return {"thresholds": table(("paper", "what they say", "needed"), rows)}


def of_paper(judged: Sequence[Judged], paper: str) -> list[Judged]:
    """Return the rows of a paper: tables first, then figures and sections, each by number."""
    return sorted((one for one in judged if one.headline.paper == paper), key=_place)


def _place(one: Judged) -> tuple[int, str]:
    kind, _, number = one.headline.where.partition(" ")
    return KINDS.index(kind), number


def benchmark_names() -> list[str]:
    """Return the names of the benchmarks behind the page, each once."""
    return list(dict.fromkeys(cell.benchmark for one in HEADLINES for cell in one.cells))


# --- counts and index ----------------------------------------------------------------------------


def _counts(judged: Sequence[Judged]) -> list[str]:
    """Return the opening sentences."""
    count = counted(judged)
    fitted = _sum(o for o in judged if o.verdict is Verdict.READING and o.headline.fitted)
    ours, no = ([o for o in judged if o.verdict is kind] for kind in (Verdict.OURS, Verdict.NO))
    run = _sum(o for o in ours if o.headline.literal is not None)
    sentences = [
        f"The {len(judged)} rows of this page judge {sum(count.values())} numbers and statements "
        "of four papers.",
        f"Their method, run by us, gives {count[Verdict.EQUAL]} of them, and "
        f"{count[Verdict.READING]} more under one reading of what the paper leaves open; for "
        f"{fitted} of these, we chose the reading because it gives the number.",
        f"{count[Verdict.OURS]} hold with laconic's algorithm: for {run}, their method does not "
        f"give them ({_stopped(ours)} with STC stopped early), and for {count[Verdict.OURS] - run},"
        " it was not run.",
        f"{count[Verdict.NO]} do not hold; for {_sum(o for o in no if o.headline.literal is None)} "
        f"of these, only laconic was run, and for {_stopped(no)}, STC was stopped early.",
        f"{count[Verdict.NO_DATA]} need data that are not available, and for "
        f"{count[Verdict.NOT_RUN]}, we did not run what the paper compares.",
    ]
    if count[Verdict.WAITING]:
        sentences.append(f"{count[Verdict.WAITING]} wait for a result from committed code.")
    return sentences


def _sum(judged: Iterable[Judged]) -> int:
    return sum(map(number_of, judged))


def _stopped(judged: Sequence[Judged]) -> int:
    return _sum(one for one in judged if one.headline.stopped)


def _index(paper: str, judged: Sequence[Judged]) -> str:
    """Return a line with links to the paper and its tables and figures, and their verdicts."""
    places = dict.fromkeys(_item(one.headline.where) for one in judged)
    items = [
        f'<a href="#{_anchor(paper, place)}">{place}</a> '
        f"({_found([one for one in judged if _item(one.headline.where) == place])})"
        for place in places
    ]
    return f"- [{paper}](#{_slug(paper)}), {_found(judged)}: {' · '.join(items)}"


def _found(judged: Sequence[Judged]) -> str:
    """Return the verdicts with their counts: "2 equal, 1 no"."""
    return ", ".join(f"{n} {verdict.value}" for verdict, n in counted(judged).items() if n)


def _item(where: str) -> str:
    """Return the table or figure without its part: "table 2" for "table 2 (a)"."""
    return re.sub(r"( \([a-z, ]+\)|, (left|right))$", "", where)


def _anchor(paper: str, where: str) -> str:
    return _slug(f"{paper} {_item(where)}")


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower())


# --- the table of a paper ------------------------------------------------------------------------


def _table(judged: Sequence[Judged], results: Results, different: Sequence[str]) -> list[str]:
    """Return the rows of a paper, with its lettered notes."""
    letters = _letters(judged)
    seen: set[str] = set()
    rows = []
    for one in judged:
        anchor = _anchor(one.headline.paper, one.headline.where)
        mark = "" if anchor in seen else f'<a id="{anchor}"></a>'
        seen.add(anchor)
        rows.append(_row(one, results, mark, letters))
    paper = judged[0].headline.paper
    notes = " ".join(
        f'<b id="{_note(paper, letter)}">{letter}</b> {text.removeprefix(DIFFERS)}.'
        for text, letter in letters.items()
    )
    lines = [f"- {text}" for text in different]
    return [*table(COLUMNS, rows), "", f"Notes: {notes}", "", LEAD, "", *lines]


def _letters(judged: Sequence[Judged]) -> dict[str, str]:
    """Return the letters of the readings, and of the differences that several rows share."""
    same = [one.headline.same for one in judged]
    shared = {text for text in same if text.startswith(DIFFERS) and same.count(text) > 1}
    texts = [
        text
        for one in judged
        for text in (one.headline.same, one.headline.reading)
        if text and (text == one.headline.reading or text in shared)
    ]
    return dict(zip(dict.fromkeys(texts), ascii_lowercase, strict=False))


def _row(one: Judged, results: Results, mark: str, letters: Mapping[str, str]) -> list[str]:
    headline = one.headline
    theirs = one.literal
    if headline.literal is None and headline.ours is not None and not headline.no_data:
        theirs = "not run"
    return [
        f"{mark}{headline.where}",
        headline.says,
        headline.theirs,
        _linked(theirs, headline.literal, results),
        _linked(one.ours, headline.ours, results),
        _same(headline, letters),
        headline.seeds,
        _verdict(one),
    ]


def _same(headline: Headline, letters: Mapping[str, str]) -> str:
    """Return whether data and protocol are the paper's, with letters instead of long notes."""
    same = headline.same
    if same in letters:
        same = f"{DIFFERS}{_link_to_note(headline, 'note', letters[same])}"
    if not headline.reading:
        return same
    fitted = ", fitted" if headline.fitted else ""
    return f"{same}; {_link_to_note(headline, 'reading', letters[headline.reading])}{fitted}"


def _link_to_note(headline: Headline, kind: str, letter: str) -> str:
    return f'<a href="#{_note(headline.paper, letter)}">{kind} {letter}</a>'


def _note(paper: str, letter: str) -> str:
    return _slug(f"{paper} note {letter}")


def _verdict(one: Judged) -> str:
    """Return the verdict with the threshold, if it is our own."""
    headline = one.headline
    more = [f"needed: {headline.judged}"] if headline.judged else []
    more += [f"not counted: {headline.uncounted}"] if headline.uncounted else []
    return f"**{one.verdict.value}**" + (f" ({'; '.join(more)})" if more else "")


def _linked(text: str, cell: Cell | None, results: Results) -> str:
    """Link a value to the page with all rows of its benchmark."""
    if cell is None or cell.benchmark not in results:
        return text
    return f"[{text}](results/{cell.benchmark}.md)"
