"""HTML page of a comparison: the verdict, the topics side by side, the metrics and all numbers.

The page is a single file without scripts. Each metric is a card in which every model has a row: its
name, a dot with its interval on a common axis, and the numbers. Therefore, the cards are aligned
with each other, and they need no table that is wider than a phone.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from laconic.evaluation.columns import COLUMNS, best, cell, shown
from laconic.evaluation.repeats import interval
from laconic.evaluation.verdict import FITTED_ONCE, Lead, leads, reason, verdict
from laconic.identity.document import document
from laconic.metrics.stability import match_topics
from laconic.plots.comparison import QUALITIES, quality_panel, ticks, whose
from laconic.plots.inline import inline_chart
from laconic.wording import plural

if TYPE_CHECKING:
    from laconic.evaluation.compare import Comparison, Row

TITLE = "Topic models compared"
FIRST_TOPICS = 8  # number of rows of topics that are visible before the others are unfolded
MAIN = ("npmi", "c_v", "diversity", "accuracy", "perplexity", "seconds")
ARROWS = {"higher": "↑", "lower": "↓", "": ""}
SIDE_BY_SIDE = 4  # maximum number of models that have room side by side on a phone
MARKS = 8  # number of different marks of models
MARGIN = 0.06  # room at both ends of an axis, as a share of its length
RULE = (
    "A model wins a metric if the 95 % interval of its difference to each other model with the "
    "same number of topics excludes zero; for times, sizes and perplexity, the interval of the "
    "ratio must exclude one. "
)
OVER_REPEATS = (
    "The intervals are over {repeats} fits of each model, each to other training documents and "
    "with another seed. They take into account that the training documents overlap (Nadeau and "
    "Bengio, 2003)."
)
OVER_DOCUMENTS = (
    "Each model was fitted once, so only accuracy and perplexity have intervals: over the test "
    "documents."
)


def comparison_page(comparison: Comparison) -> str:
    """Return the page as HTML."""
    rows = [row for row in comparison.rows if row.error is None]
    found = leads(comparison)
    body = [
        f'<header><h1>{TITLE}</h1>\n<p class="about">{_about(comparison.about)}</p></header>',
        "<main>",
        _verdict(comparison, found),
        *_topics([row for row in rows if row.words]),
        _metrics(rows, comparison.about, found),
        _speed(comparison),
        _table(comparison),
        "</main>",
    ]
    return document(TITLE, "\n".join(filter(None, body)), style=_style())


def _about(about: Mapping[str, Any]) -> str:
    classes = f", {plural(about['classes'], 'class', 'classes')}" if about["classes"] else ""
    window = "windows of the texts" if about["window"] == "texts" else "whole documents"
    repeats = about.get("repeats", 1)
    fits = f"Fitted {repeats} times" if repeats > 1 else "Fitted once"
    return (
        f"{about['documents']:,} documents × {about['words']:,} words{classes}. {fits}, to "
        f"{about['fitted_to']:,} documents; accuracy, perplexity, zeros in codes and topics per "
        f"document are measured on the other {about['unseen']:,}. Co-occurrences are counted in "
        f"{window}; top {about['words_of_a_topic']} words per topic; seed {about['random_state']}."
    )


# --- verdict -------------------------------------------------------------------------------------


def _verdict(comparison: Comparison, found: Sequence[Lead]) -> str:
    sentences = verdict(comparison)
    if not sentences:
        return ""
    leading = [f'<p class="lead">{escape(s)}</p>' for s in sentences if not _is_note(s)]
    notes = [f'<p class="about">{escape(s)}</p>' for s in sentences if _is_note(s)]
    parts = [*leading, _main_numbers(comparison, found), *notes, _reasons(found, comparison.about)]
    return (
        '<section class="card" id="verdict"><h2>Which model is best at what?</h2>\n'
        + "\n".join(parts)
        + "</section>"
    )


def _is_note(sentence: str) -> bool:
    return sentence.startswith(FITTED_ONCE)


def _main_numbers(comparison: Comparison, found: Sequence[Lead]) -> str:
    """Return a table for each number of topics; a phone shows the models side by side."""
    rows = [row for row in comparison.rows if row.error is None]
    names = [
        name
        for name in MAIN
        if len({row.model for row in rows if _is_finite(getattr(row, name))}) > 1
    ]
    if not names:
        return ""
    sizes = dict.fromkeys(row.n_components for row in rows)
    tables = "".join(
        _main_table([row for row in rows if row.n_components == size], names, comparison, found)
        for size in sizes
    )
    clear = ", bold: clearly the best" if any(lead.winner for lead in found) else ""
    return f'{tables}<p class="about">Highlighted: the best value{clear}.</p>'


def _main_table(
    rows: Sequence[Row], names: Sequence[str], comparison: Comparison, found: Sequence[Lead]
) -> str:
    marks = _marks([row for row in comparison.rows if row.error is None])
    heads = "".join(
        f'<th scope="col" class="number">{escape(column.heading)}'
        f'<span aria-hidden="true"> {ARROWS[column.better]}</span></th>'
        for column in (COLUMNS[name] for name in names)
    )
    wins = {(lead.name, id(lead.winner)) for lead in found if lead.winner is not None}
    lines = []
    for row in rows:
        cells = "".join(
            _main_cell(row, name, rows, comparison.about, (name, id(row)) in wins) for name in names
        )
        mark = f'<i class="dot {marks[row.model]}"></i> '
        lines.append(f'<tr><th scope="row">{mark}{escape(row.model)}</th>{cells}</tr>')
    shape = "turned" if len(rows) <= SIDE_BY_SIDE else "rows"
    return (
        f'<table class="table main {shape}"><thead><tr><th scope="col">{rows[0].n_components} '
        f"topics</th>{heads}</tr></thead><tbody>{''.join(lines)}</tbody></table>"
    )


def _main_cell(
    row: Row, name: str, rows: Sequence[Row], about: Mapping[str, Any], wins: bool
) -> str:
    value = getattr(row, name)
    is_best = value is not None and value == best(rows, name).get(row.n_components)
    text = escape(cell(row, name)) or "–"
    around = interval(row, name, about) if row.runs else None
    write = COLUMNS[name].write
    range_ = (
        f'<span class="meta">{escape(" to ".join(map(write, around)))}</span>' if around else ""
    )
    return (
        f'<td class="number{" best" if is_best else ""}" '
        f'data-label="{escape(COLUMNS[name].heading)}">'
        f"<span>{f'<b>{text}</b>' if wins else text}{range_}</span></td>"
    )


def _marks(rows: Sequence[Row]) -> dict[str, str]:
    """Return the class of the mark of each model: a colour and a shape; hollow for peers."""
    models = {row.model: whose(row) for row in rows}
    return {
        model: f"{kind} mark-{number % MARKS}"
        for number, (model, kind) in enumerate(models.items())
    }


def _reasons(found: Sequence[Lead], about: Mapping[str, Any]) -> str:
    if not found:
        return ""
    several = len({lead.size for lead in found}) > 1
    items = "".join(
        f"<div><dt>{escape(COLUMNS[lead.name].heading)}"
        f"{f', {lead.size} topics' if several else ''}</dt><dd>{escape(reason(lead))}</dd></div>"
        for lead in found
    )
    repeats = about.get("repeats", 1)
    basis = OVER_REPEATS.format(repeats=repeats) if repeats > 1 else OVER_DOCUMENTS
    return (
        f'<details><summary>All metrics, one by one</summary><dl class="reasons">{items}</dl>'
        f'<p class="about">{RULE}{basis}</p></details>'
    )


# --- topics --------------------------------------------------------------------------------------


def _topics(rows: Sequence[Row]) -> Iterable[str]:
    """Yield one section for each number of topics."""
    sizes = list(dict.fromkeys(row.n_components for row in rows))
    for size in sizes:
        heading = "Topics side by side" + (f": {size} topics" if len(sizes) > 1 else "")
        yield _side_by_side([row for row in rows if row.n_components == size], heading)


def _side_by_side(rows: Sequence[Row], heading: str) -> str:
    first, others = rows[0], rows[1:]
    lines = [
        _topic_row(number, [(row, topic) for row, topic in zip(rows, topics, strict=True)])
        for number, topics in enumerate(aligned([row.words for row in rows]))
    ]
    about = (
        f"Each topic of {first.model}, and the topics of the other models that are most similar "
        f"to it. Words that {first.model} also has in this topic are bold."
        if others
        else f"The topics of {first.model}."
    )
    shown_lines, folded = lines[:FIRST_TOPICS], lines[FIRST_TOPICS:]
    more = (
        f"<details><summary>{plural(len(folded), 'more topic')}</summary>{''.join(folded)}"
        "</details>"
        if folded
        else ""
    )
    return (
        f'<section class="topics"><h2>{escape(heading)}</h2>\n<p class="about">{escape(about)}</p>'
        f"\n{''.join(shown_lines)}{more}{_unmatched(rows)}</section>"
    )


def aligned(models: Sequence[Sequence[Sequence[str]]]) -> list[list[int | None]]:
    """Return, for each topic of the first model, the matching topic of every model.

    Parameters
    ----------
    models : sequence of sequence of sequence of str
        The words of the topics of each model. Topics are matched one to one by their words; topics
        without a common word do not match.

    Examples
    --------
    >>> aligned([[["cat", "purr"], ["dog"]], [["dog", "bark"], ["emu"]]])
    [[0, None], [1, 0]]
    """
    columns: list[list[int | None]] = [list(range(len(models[0])))]
    for other in models[1:]:
        matching = match_topics([list(words) for words in models[0]], [list(w) for w in other])
        column: list[int | None] = [None] * len(models[0])
        for mine, theirs, similarity in zip(*matching, strict=True):
            if similarity > 0:
                column[int(mine)] = int(theirs)
        columns.append(column)
    return [list(topics) for topics in zip(*columns, strict=True)]


def _topic_row(number: int, topics: Sequence[tuple[Row, int | None]]) -> str:
    first = topics[0][0]
    known = set(first.words[number])
    blocks = "".join(
        f"<div><dt>{escape(row.model)}</dt><dd>{_words(row, topic, known)}</dd></div>"
        for row, topic in topics
    )
    name = ", ".join(first.words[number][:3]) or "no words"
    return f'<div class="card topic"><h3>{escape(name)}</h3><dl>{blocks}</dl></div>'


def _words(row: Row, topic: int | None, known: set[str]) -> str:
    if topic is None:
        return '<span class="empty">no similar topic</span>'
    return ", ".join(
        f"<b>{escape(word)}</b>" if word in known else escape(word) for word in row.words[topic]
    )


def _unmatched(rows: Sequence[Row]) -> str:
    """Return the topics of the other models that match no topic of the first model."""
    table = aligned([row.words for row in rows])
    blocks = []
    for column, row in enumerate(rows[1:], start=1):
        matched = {topics[column] for topics in table}
        rest = [words for topic, words in enumerate(row.words) if topic not in matched]
        if rest:
            items = "".join(f"<li>{escape(', '.join(words))}</li>" for words in rest)
            blocks.append(f"<div><h3>{escape(row.model)}</h3><ul>{items}</ul></div>")
    if not blocks:
        return ""
    return (
        f"<details><summary>Topics that {escape(rows[0].model)} does not have</summary>"
        f'<div class="grid others">{"".join(blocks)}</div></details>'
    )


# --- metrics -------------------------------------------------------------------------------------


def _metrics(rows: Sequence[Row], about: Mapping[str, Any], found: Sequence[Lead]) -> str:
    if not rows:
        return ""
    several = len(set(map(whose, rows))) > 1
    hollow = " The marks of models of other libraries are hollow." if several else ""
    cards = "".join(_card(name, rows, about, found) for name in shown(rows))
    return (
        '<section id="metrics"><h2>Metrics</h2>\n<p class="about">A mark is the value of a model, '
        "and the line around it is its 95 % interval, if the interval is known. A model that wins "
        f'a metric is labelled.{hollow}</p>\n<div class="grid">{cards}</div></section>'
    )


def _card(name: str, rows: Sequence[Row], about: Mapping[str, Any], found: Sequence[Lead]) -> str:
    column = COLUMNS[name]
    drawn = [row for row in rows if _is_finite(getattr(row, name))]
    if not drawn:
        return ""
    axis = Axis.of(name, drawn, about)
    winners = {id(lead.winner) for lead in found if lead.name == name and lead.winner is not None}
    sizes = list(dict.fromkeys(row.n_components for row in drawn))
    lists = []
    marks = _marks(rows)
    for size in sizes:
        heading = f'<p class="meta">{size} topics</p>' if len(sizes) > 1 else ""
        items = "".join(
            _line(name, row, axis, about, marks[row.model], id(row) in winners)
            for row in drawn
            if row.n_components == size
        )
        lists.append(f"{heading}<ul>{items}</ul>")
    better = f"; {column.better} is better" if column.better else ""
    return (
        f'<figure class="metric"><figcaption><h3>{escape(column.heading)}</h3>'
        f'<p class="meta">{escape(column.about + better)}</p></figcaption>'
        f"{''.join(lists)}{axis.html()}</figure>"
    )


def _line(name: str, row: Row, axis: Axis, about: Mapping[str, Any], kind: str, wins: bool) -> str:
    """Return the row of one model: its name, its dot and interval, and the numbers."""
    around = interval(row, name, about)
    write = COLUMNS[name].write
    ends, text = "", ""
    if around is not None:
        low, high = axis.at(around.low), axis.at(around.high)
        ends = f'<i class="range" style="left:{low:.2%};width:{high - low:.2%}"></i>'
        numbers = [escape(write(end)) for end in around]
        if numbers[0] != numbers[1]:
            text = f'<span class="meta">{" to ".join(numbers)}</span>'
    mark = '<span class="wins">wins</span>' if wins else ""
    return (
        f'<li{" class=best" if wins else ""}><span class="name">{escape(row.model)}{mark}</span>'
        f'<span class="track" aria-hidden="true">{axis.lines()}{ends}'
        f'<i class="dot {kind}" style="left:{axis.at(getattr(row, name)):.2%}"></i></span>'
        f'<span class="number">{escape(cell(row, name))}{text}</span></li>'
    )


class Axis:
    """The axis of a card, from the lowest to the highest end of an interval.

    Parameters
    ----------
    low, high : float
        The lowest and the highest number to draw.
    logarithmic : bool
    write : callable
        Formats the number of a tick.
    """

    def __init__(self, low: float, high: float, logarithmic: bool, write: Any) -> None:
        self.logarithmic, self.write = logarithmic, write
        start, end = self._scale(low), self._scale(high)
        margin = MARGIN * (end - start) or 0.5 * abs(end) or 0.5
        self.start, self.end = start - margin, end + margin
        ends = [math.exp(end) if logarithmic else end for end in (self.start, self.end)]
        self.ticks = ticks(*ends, logarithmic=logarithmic)

    @classmethod
    def of(cls, name: str, rows: Sequence[Row], about: Mapping[str, Any]) -> Axis:
        """Return the axis of a metric, which has room for all values and intervals."""
        numbers = [getattr(row, name) for row in rows]
        for row in rows:
            numbers += interval(row, name, about) or ()
        column = COLUMNS[name]
        is_log = column.logarithmic and needs_log(numbers)
        return cls(min(numbers), max(numbers), is_log, column.write)

    def at(self, value: float) -> float:
        """Return the position of a value on the axis, from 0 to 1."""
        return (self._scale(value) - self.start) / (self.end - self.start)

    def _scale(self, value: float) -> float:
        return math.log(value) if self.logarithmic else value

    def lines(self) -> str:
        return "".join(f'<i class="tick" style="left:{self.at(x):.2%}"></i>' for x in self.ticks)

    def html(self) -> str:
        """Return the numbers below the rows; at most three, so that they do not overlap."""
        few = self.ticks[:: max(1, len(self.ticks) // 2)]
        labels = "".join(
            f'<span style="left:{self.at(x):.2%}">{escape(_short(self.write(x)))}</span>'
            for x in few
        )
        return f'<div class="axis" aria-hidden="true"><span class="track">{labels}</span></div>'


def _short(text: str) -> str:
    """Remove zeros at the end of a decimal number.

    Examples
    --------
    >>> _short("0.100"), _short("20 %"), _short("1.50")
    ('0.1', '20 %', '1.5')
    """
    return text.rstrip("0").removesuffix(".") if "." in text and text[-1].isdigit() else text


def needs_log(values: Sequence[float]) -> bool:
    """Return whether values need a logarithmic scale: the largest is over 5 x the smallest."""
    return bool(values) and min(values) > 0 and max(values) > 5 * min(values)


def _is_finite(value: float | None) -> bool:
    return value is not None and math.isfinite(value)


# --- speed, and all numbers ----------------------------------------------------------------------


def _speed(comparison: Comparison) -> str:
    names = shown(comparison.rows)
    qualities = [name for name in QUALITIES if name in names and "seconds" in names]
    if not qualities:
        return ""
    charts = "".join(f"<figure>{_chart(comparison, name)}</figure>" for name in qualities)
    several = len({row.n_components for row in comparison.rows}) > 1
    lines = "; lines join fits of the same model" if several else ""
    return (
        '<section id="speed"><h2>Speed against quality</h2>\n<p class="about">Up and to the left '
        f'is better{lines}.</p>\n<div class="grid">{charts}</div></section>'
    )


def _chart(comparison: Comparison, name: str) -> str:
    label = f"{COLUMNS[name].heading} against seconds to fit, a point for each model"
    return inline_chart(quality_panel(comparison, name), f"speed-{name}", label)


def _table(comparison: Comparison) -> str:
    """Return a table with a column for each model; on a phone, the cards have the same numbers."""
    rows = [row for row in comparison.rows if row.error is None]
    failed = "".join(
        f"<p><b>{escape(row.model)}, {row.n_components} topics</b>: {escape(row.error)}</p>"
        for row in comparison.rows
        if row.error is not None
    )
    several = len({row.n_components for row in rows}) > 1
    head = "".join(
        f'<th scope="col" class="number">{escape(row.model)}'
        f"{f' {row.n_components}' if several else ''}</th>"
        for row in rows
    )
    lines = []
    for name in shown(rows):
        leaders = best(rows, name)
        cells = "".join(_cell(row, name, leaders) for row in rows)
        lines.append(f'<tr><th scope="row">{escape(COLUMNS[name].heading)}</th>{cells}</tr>')
    table = (
        '<section id="numbers"><h2>All numbers</h2>\n<p class="about">The best value for each '
        "number of topics is highlighted, whether or not the difference is clear.</p>\n"
        '<div class="scroll" tabindex="0" role="region" aria-label="All numbers">'
        f'<table class="table"><thead><tr><th scope="col">metric</th>{head}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div></section>"
    )
    return f"{_failures(failed)}{table if rows else ''}"


def _failures(failed: str) -> str:
    return f'<section id="failed"><h2>Not fitted</h2>{failed}</section>\n' if failed else ""


def _cell(row: Row, name: str, leaders: dict[int, float]) -> str:
    value = getattr(row, name)
    is_best = value is not None and value == leaders.get(row.n_components)
    return f'<td class="number{" best" if is_best else ""}">{escape(cell(row, name))}</td>'


@cache
def _style() -> str:
    return files("laconic.plots").joinpath("comparison.css").read_text(encoding="utf-8")
