"""Charts of the pages of results, drawn from committed results only."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from benchmarks.harness import ROOT
from laconic.extras import require
from laconic.models import MODELS
from laconic.plots.files import write_chart
from laconic.plots.style import COLOURS, styled

PICTURES = ROOT / "docs" / "pictures"
Results = Mapping[str, Mapping[str, Any]]
WIDTH, HEIGHT = 400, 250
LABEL = "format(datum.value, ',.4~r')"  # axis labels with at most four significant digits
DASHES = {"ours": [1, 0], "the paper": [4, 3]}


class Point(NamedTuple):
    """One point of a curve."""

    series: str
    x: float
    y: float
    whose: str = "ours"


class Axis(NamedTuple):
    """Title and scale of an axis."""

    title: str
    log: bool = False
    values: Sequence[float] | None = None
    zero: bool = False


class Picture(NamedTuple):
    """A chart on the page of a result: caption, required results, drawing function."""

    caption: str
    needs: tuple[str, ...]  # names of benchmarks, or "benchmark: pattern of a row name"
    draw: Callable[[Results], Any]

    @property
    def benchmark(self) -> str:
        """The benchmark on whose page the chart is shown."""
        return self.needs[0].partition(": ")[0]


def draw_all(results: Results) -> list[str]:
    """Write the charts whose results exist, delete all other charts, and return the names."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    names = drawable(results)
    for file in PICTURES.glob("*.svg"):
        if file.stem not in names:
            file.unlink()
    for name in names:
        write_chart(styled(CHARTS[name].draw(results)), PICTURES / f"{name}.svg", force=True)
    return names


def drawable(results: Results) -> list[str]:
    """Return the names of the charts whose results and rows exist."""
    return [name for name, one in CHARTS.items() if all(_has(results, need) for need in one.needs)]


def _has(results: Results, need: str) -> bool:
    name, _, pattern = need.partition(": ")
    rows = results[name]["rows"] if name in results else []
    return any(fnmatchcase(row["what"], pattern or "*") for row in rows)


# --- points out of rows --------------------------------------------------------------------------


def points(result: Mapping[str, Any], pattern: str, names: Sequence[str] = ()) -> list[Point]:
    """Return a point for each row whose full name matches the pattern.

    The groups ``series`` and ``x`` of the pattern are the series and the position of the point.
    """
    found = []
    for row in _once(result["rows"]):
        match = re.fullmatch(pattern, row["what"])
        if match is not None:
            groups = match.groupdict()
            series = groups.get("series") or ""
            if not names or series in names:
                found.append(Point(series, float(groups["x"].replace(",", "")), row["value"]))
    return found


def _once(rows: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Drop repeated rows, which have the same name but different peers."""
    return list({row["what"]: row for row in rows}.values())


def renamed(curve: Iterable[Point], series: str) -> list[Point]:
    return [point._replace(series=series) for point in curve]


# --- one kind of chart ---------------------------------------------------------------------------


def lines(
    curve: Sequence[Point],
    x: Axis,
    y: Axis,
    title: str,
    *,
    domain: Sequence[str] | None = None,
    legend: bool = True,
    width: int = WIDTH,
) -> Any:
    """Draw curves with points; curves of the paper are dashed and have hollow points.

    The colour of a series depends only on its position in `domain`, even if not all are drawn.
    """
    alt = require("altair")
    if not curve:
        raise LookupError(f"No row matches the chart '{title}'; check whether rows were renamed.")
    colours = dict(zip(domain or dict.fromkeys(p.series for p in curve), COLOURS, strict=False))
    drawn = {
        name: colour for name, colour in colours.items() if any(p.series == name for p in curve)
    }
    values = [point._asdict() for point in curve if not y.log or point.y > 0]
    scale = alt.Scale(domain=list(drawn), range=list(drawn.values()))
    base = alt.Chart(alt.Data(values=values)).encode(
        x=_axis(alt, "x", x, [point.x for point in curve]),
        y=_axis(alt, "y", y, [point.y for point in curve]),
        color=alt.Color(
            "series:N",
            scale=scale,
            title=None,
            legend=alt.Legend(orient="right", labelLimit=240) if legend else None,
        ),
    )
    strokes = base.mark_line(strokeWidth=2).encode(
        strokeDash=alt.StrokeDash(
            "whose:N",
            scale=alt.Scale(domain=list(DASHES), range=list(DASHES.values())),
            legend=_whose_legend(alt, curve, legend),
            title=None,
        ),
        detail="whose:N",
    )
    ours = alt.datum.whose == "ours"
    marks = base.transform_filter(ours).mark_point(filled=True, size=45, opacity=1)
    theirs = base.transform_filter(~ours).mark_point(
        size=60, strokeWidth=2, fill="white", opacity=1
    )
    return (strokes + marks + theirs).properties(
        width=width, height=HEIGHT, title=alt.Title(title, fontSize=13)
    )


def _whose_legend(alt: Any, curve: Sequence[Point], legend: bool) -> Any:
    both = len({point.whose for point in curve}) > 1
    return alt.Legend(orient="right") if both and legend else None


def _axis(alt: Any, channel: str, axis: Axis, numbers: Sequence[float]) -> Any:
    make = alt.X if channel == "x" else alt.Y
    kind = "log" if axis.log else "linear"
    scale = alt.Scale(type=kind, zero=axis.zero and not axis.log, nice=False, padding=12)
    values = axis.values or (ticks(numbers) if axis.log else None)
    options = {"values": list(values)} if values else {"tickCount": 6}
    drawn = alt.Axis(labelExpr=LABEL, labelOverlap=True, **options)
    return make(f"{channel}:Q", title=axis.title, scale=scale, axis=drawn)


def ticks(numbers: Sequence[float], most: int = 8) -> list[float]:
    """Return the ticks 1, 2, 5, 10, … of a logarithmic axis, or only the powers of ten."""
    positive = [number for number in numbers if number > 0]
    low, high = math.floor(math.log10(min(positive))), math.ceil(math.log10(max(positive)))
    for steps in ((1, 2, 5), (1,)):
        found = [step * 10.0**power for power in range(low, high + 1) for step in steps]
        inside = [tick for tick in found if min(positive) <= tick <= max(positive)]
        if len(inside) <= most:
            return inside
    return inside


def beside(*panels: Any) -> Any:
    """Place panels in a row, each with its own scales; only the last panel has a legend."""
    alt = require("altair")
    return alt.hconcat(*panels, spacing=28).resolve_scale(color="independent")


# --- Sparse LSA ----------------------------------------------------------------------------------

SIZES = (10, 50, 100, 500, 1000)
METHODS = ("Sparse LSA", "Sparse LSA, non-negative", "LSA", "sparse coding", "LDA")
DIMENSIONS = Axis("dimensions D", log=True, values=SIZES)
ACCURACY = Axis("accuracy, %")


def slsa_over_dimension(results: Results) -> Any:
    result = results["slsa-over-dimension"]
    curve = points(result, r"accuracy, D=(?P<x>\d+), (?P<series>.*)", METHODS)
    paper = [
        Point(row["what"].split(", ", 2)[2], 1000, row["peer_value"], "the paper")
        for row in result["rows"]
        if row["peer"] == "the paper"
    ]
    title = "Accuracy of an SVM on codes of the authors' matrix"
    return lines([*curve, *paper], DIMENSIONS, ACCURACY, title, domain=METHODS)


def slsa_effective_dimension(results: Results) -> Any:
    rows = {row["what"]: row["value"] for row in results["slsa-effective-dimension"]["rows"]}
    curve = [
        Point(match["series"], rows[f"effective dimension, {match['setting']}"], value)
        for what, value in rows.items()
        if (match := re.fullmatch(r"accuracy, (?P<setting>λ=[\d.]+, (?P<series>.*))", what))
    ]
    lsa = {
        Point("LSA", float(row["peer"].removeprefix("LSA, D=")), row["peer_value"])
        for row in results["slsa-effective-dimension"]["rows"]
        if row["peer"]
    }
    x = Axis("effective dimension: non-zeros of A / words", log=True)
    title = "Accuracy by size of the projection"
    return lines([*curve, *sorted(lsa)], x, ACCURACY, title, domain=METHODS)


def slsa_density(results: Results) -> Any:
    result = results["slsa-density"]
    pattern = r"density of A, D=(?P<x>\d+), (?P<series>l1|non-negative) \(.*"
    ours = points(result, pattern)
    paper = [
        Point(match["series"], float(match["x"]), row["peer_value"], "the paper")
        for row in result["rows"]
        if row["peer"] == "the paper" and (match := re.fullmatch(pattern, row["what"]))
    ]
    y = Axis("non-zeros of A, %", log=True, values=(0.2, 0.3, 0.5, 0.7, 1, 1.5))
    return lines([*ours, *paper], DIMENSIONS, y, "Density of the projection, λ = 0.05")


# --- STC -----------------------------------------------------------------------------------------

STC_SERIES = (
    "STC", "MedSTC", "gaussSTC", "gaussMedSTC", "LDA", "NMF, all words", "MedLDA",
)  # fmt: skip
TOPICS = Axis("topics K", values=(20, 60, 110))


def _over_topics(results: Results, what: str, names: Sequence[str] = STC_SERIES) -> list[Point]:
    pattern = rf"{what}, (?P<series>.*), K=(?P<x>\d+)"
    return points(results["stc-figure-5"], pattern, names)


def stc_accuracy(results: Results) -> Any:
    curve = _over_topics(results, "accuracy")
    return lines(curve, TOPICS, ACCURACY, "20 Newsgroups, 20 classes", domain=STC_SERIES)


def stc_zeros(results: Results) -> Any:
    curve = _over_topics(results, "exact zeros in word codes")
    y = Axis("share of exact zeros in word codes", zero=True)
    return lines(curve, TOPICS, y, "Sparsity of word codes", domain=STC_SERIES)


def stc_times(results: Results) -> Any:
    panels = [
        lines(
            _over_topics(results, f"CPU seconds {part}"),
            TOPICS,
            Axis("CPU seconds", log=True),
            title,
            domain=STC_SERIES,
            legend=title == "Test",
            width=270,
        )
        for part, title in (("of the fit", "Training"), ("to code the test half", "Test"))
    ]
    return beside(*panels)


def stc_dirichlet(results: Results) -> Any:
    x = Axis("α of LDA's Dirichlet prior", log=True)
    panels = [
        lines(
            renamed(points(results["stc-dirichlet"], rf"{what}, LDA, α=(?P<x>.*)"), "LDA"),
            x,
            y,
            title,
            legend=False,
            width=270,
        )
        for what, y, title in (
            ("zeros in word codes", Axis("share of zeros", zero=True), "Sparsity of word codes"),
            ("accuracy", ACCURACY, "Accuracy"),
        )
    ]
    return beside(*panels)


# --- SCTM ----------------------------------------------------------------------------------------


def sctm_perplexity(results: Results) -> Any:
    result = results["sctm-perplexity-paper"]
    x = Axis("topics p", values=(10, 25, 50, 100, 150))
    omegas = {"ω=5e-05": "SCTM, ω = 5e-5", "ω=0.0001": "SCTM, ω = 1e-4"}
    domain = [*omegas.values(), "LDA"]
    infinite: list[Point] = []
    completion: list[Point] = []
    for omega, name in omegas.items():
        tail = rf"p=(?P<x>\d+), SCTM, {omega}"
        without = points(result, rf"documents with infinite perplexity, {tail}")
        infinite += renamed(without, name)
        completed = points(result, rf"perplexity by completion, {tail}, smoothing='kl'")
        completion += renamed(completed, name)
    completion += [
        Point("LDA", float(match["x"]), row["peer_value"])
        for row in result["rows"]
        if (match := re.fullmatch(r"perplexity by completion, p=(?P<x>\d+), .*", row["what"]))
        and row["peer"] == "LDA"
    ]
    share, perplexity = Axis("% of held-out documents", zero=True), Axis("perplexity", log=True)
    return beside(
        lines(infinite, x, share, "The paper's protocol: infinite perplexity", domain=domain,
              legend=False, width=300),
        lines(completion, x, perplexity, "Document completion, smoothed topics", domain=domain,
              width=300),
    )  # fmt: skip


# --- PCP -----------------------------------------------------------------------------------------

NUMBER = Axis("index of the singular value", log=True)
VALUE = Axis("singular value", log=True)


def pcp_singular_values(results: Results) -> Any:
    curve = points(results["pcp-singular-values"], r"singular value (?P<x>[\d,]+), (?P<series>.*)")
    return lines(curve, NUMBER, VALUE, "Singular values of Reuters stories")


def pcp_planted(results: Results) -> Any:
    reading = "random words, 10 % of the length"
    names = {
        "{0}, no keywords": "(a) topics only",
        "with keywords, {0}, " + reading: "(b) with keywords",
        "exact PCP, {0}, " + reading: "(c) after PCP",
    }
    panels = []
    for counts, title in (
        ("drawn", "Words drawn one by one"),
        ("expected, rounded", "Expected counts, rounded"),
    ):
        curve: list[Point] = []
        for pattern, name in names.items():
            row = re.escape(pattern.format(counts))
            found = points(results["pcp-topic-space"], rf"singular value (?P<x>[\d,]+), {row}")
            curve += renamed(found, name)
        last = counts != "drawn"
        panels.append(lines(curve, NUMBER, VALUE, title, legend=last, width=290))
    return beside(*panels)


def pcp_titles(results: Results) -> Any:
    names = {
        "t1": "t1: keywords that are title words",
        "t2 over all documents": "t2: the same by weight",
        "mass": "keywords as a share of all words",
    }
    what = "PCP as printed, 1,000 longest, title in the text"
    curve: list[Point] = []
    for measure, name in names.items():
        found = points(results["pcp-titles"], rf"{measure}, i=(?P<x>\d+), {re.escape(what)}")
        curve += renamed(found, name)
    y = Axis("share", zero=True)
    title = "The 1,000 longest stories with titles"
    return lines(curve, Axis("i of λ = i/√m"), y, title, domain=list(names.values()))


def pcp_perplexity(results: Results) -> Any:
    names = {
        "on its own training part": "its own training part (the paper's left)",
        "on its own test part": "its own test part (the paper's right)",
        "on held-out D": "held-out words of D",
    }
    curve = [
        Point(names[match["part"]], float(match["x"]), row["ratio"])
        for row in results["pcp-perplexity"]["rows"]
        if (
            match := re.fullmatch(
                r"perplexity (?P<part>.*), LDA on L, i=(?P<x>\d+), 2,000 longest", row["what"]
            )
        )
        and match["part"] in names
    ]
    x = Axis("i of λ = i/√m", values=sorted({point.x for point in curve}))
    y = Axis("perplexity of LDA on L / of LDA on D")
    return lines(curve, x, y, "Reuters, the 2,000 longest stories")


# --- peers ---------------------------------------------------------------------------------------

QUALITIES = {"C_v": "coherence C_v", "accuracy": "accuracy of an SVM on codes"}


def peers_speed(results: Results) -> Any:
    """Draw the CPU seconds of a fit against two quality metrics, in one panel per metric."""
    alt = require("altair")
    rows = {row["what"]: row["value"] for row in results["peers"]["rows"]}
    panels = []
    for measure, title in QUALITIES.items():
        marks = [
            {
                "model": match["name"],
                "whose": "laconic" if match["name"].partition(",")[0] in MODELS else "peers",
                "seconds": rows[f"seconds to fit, {match['name']}, K={match['topics']}"],
                "quality": value,
            }
            for what, value in rows.items()
            if (match := re.fullmatch(rf"{measure}, (?P<name>.*), K=(?P<topics>\d+)", what))
        ]
        panels.append(_scatter(alt, marks, title, legend=measure == "accuracy"))
    return beside(*panels)


def _scatter(alt: Any, marks: list[dict[str, Any]], title: str, legend: bool) -> Any:
    values = [mark | {"side": _side(mark, marks)} for mark in marks]
    drawn = alt.Axis(labelExpr=LABEL, values=ticks([mark["seconds"] for mark in marks]))
    base = alt.Chart(alt.Data(values=values)).encode(
        x=alt.X(
            "seconds:Q",
            title="CPU seconds to fit",
            scale=alt.Scale(type="log", nice=False, padding=48),
            axis=drawn,
        ),
        y=alt.Y("quality:Q", title=title, scale=alt.Scale(zero=False, nice=False, padding=18)),
        color=alt.Color(
            "whose:N",
            title=None,
            scale=alt.Scale(domain=["laconic", "peers"], range=list(COLOURS[:2])),
            legend=alt.Legend(orient="right") if legend else None,
        ),
    )
    names = [
        base.transform_filter(alt.datum.side == side)
        .mark_text(align=align, dx=dx, fontSize=11)
        .encode(text="model:N")
        for side, align, dx in (("right", "left", 8), ("left", "right", -8))
    ]
    dots = base.mark_point(filled=True, size=70, opacity=1)
    return alt.layer(dots, *names).properties(width=360, height=300)


def _side(mark: Mapping[str, Any], marks: Sequence[Mapping[str, Any]]) -> str:
    """Return "left" if a dot is the rightmost or has another dot on its right, else "right"."""
    if mark["seconds"] == max(other["seconds"] for other in marks):
        return "left"
    for other in marks:
        right = math.log10(other["seconds"] / mark["seconds"])
        near = abs(other["quality"] - mark["quality"]) < 0.03
        if other is not mark and near and 0 <= right < 0.3:
            return "left"
    return "right"


CHARTS = {
    "slsa-over-dimension": Picture(
        "Figure 2 (a): accuracy by number of dimensions; hollow points are the paper's.",
        ("slsa-over-dimension",),
        slsa_over_dimension,
    ),
    "slsa-effective-dimension": Picture(
        "Figure 3: accuracy by effective dimension, λ from 0.5 to 0 at D = 1000.",
        ("slsa-effective-dimension",),
        slsa_effective_dimension,
    ),
    "slsa-density": Picture(
        "Table 2 (a): density of A; the paper's values are dashed.",
        ("slsa-density",),
        slsa_density,
    ),
    "stc-dirichlet": Picture(
        "Figure 2, left: LDA as a function of its prior.", ("stc-dirichlet",), stc_dirichlet
    ),
    "stc-zeros": Picture("Figure 2, right: zeros in word codes.", ("stc-figure-5",), stc_zeros),
    "stc-accuracy": Picture(
        "Figure 5: accuracy by number of topics.", ("stc-figure-5",), stc_accuracy
    ),
    "stc-times": Picture("Figure 6: training and test time.", ("stc-figure-5",), stc_times),
    "sctm-perplexity": Picture(
        "Figures 2 and 3: held-out perplexity by number of topics.",
        ("sctm-perplexity-paper",),
        sctm_perplexity,
    ),
    "pcp-singular-values": Picture(
        "Figure 2: singular values of real stories.",
        ("pcp-singular-values: singular value *",),
        pcp_singular_values,
    ),
    "pcp-planted": Picture(
        "Figure 3: singular values of planted topics.",
        ("pcp-topic-space: singular value *",),
        pcp_planted,
    ),
    "pcp-perplexity": Picture(
        "Figure 4: below 1, LDA on the background is better than LDA on the counts.",
        ("pcp-perplexity",),
        pcp_perplexity,
    ),
    "pcp-titles": Picture(
        "Figure 5: keywords compared with title words.", ("pcp-titles",), pcp_titles
    ),
    "peers": Picture(
        "Speed against quality on 20 Newsgroups, 50 topics: up and to the left is better.",
        ("peers",),
        peers_speed,
    ),
}
