"""Write a gallery of reports (``make gallery``): an index page, and one HTML file per corpus.

The built-in corpus is always there. The other corpora are read from the folder LACONIC_DATA, if it
is set; those that are missing are left out, and the script says so. The reports contain texts of
the corpora, so they are not part of the repository.
"""

from __future__ import annotations

import gzip
import json
import math
import os
import sys
import time
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
from sklearn.datasets._twenty_newsgroups import strip_newsgroup_footer, strip_newsgroup_quoting

import laconic
from laconic.identity.document import document
from laconic.wording import plural, size

FOLDER = Path(__file__).parent / "_build" / "gallery"
DATA = "LACONIC_DATA"  # environment variable with the folder of the corpora
NEWSGROUPS = "20newsgroups-bydate.jsonl.gz"
REUTERS = "reuters21578.jsonl.gz"
NIPS = "nips/nips12-knowceans.zip"
EXPRESSION = "gene/p53-nci60.expr.tsv.gz"
PATHWAYS = "gene/p53-pathways.gmt.gz"
N_TOPICS = 5  # topics that the index names for each report
STYLE = """
main.grid > section { margin: 0; }
.card h2 { margin: 0; }
.card ul { margin-top: .6rem; }
.card li { border-top: 1px solid var(--line); padding: .2rem 0; font-size: .92rem; }
.card svg { display: block; width: 100%; height: 9rem; margin: .6rem 0; }
.card circle { fill: var(--hue); fill-opacity: .3; stroke: var(--hue); stroke-width: 2; }
"""


class Exhibit(NamedTuple):
    """A report of the gallery.

    Attributes
    ----------
    name : str
        Name of the file, without its ending.
    title : str
    about : str
        One or two sentences for the index.
    fit : callable
        Takes the folder of the data, and returns a fitted model and the documents to show.
    files : tuple of str
        Files that must be in the folder of the data.
    nouns : dict
        Other nouns for words and documents; see `laconic.report`.
    """

    name: str
    title: str
    about: str
    fit: Callable[[Path], tuple[Any, laconic.Corpus]]
    files: tuple[str, ...] = ()
    nouns: dict[str, str] = {}


class Written(NamedTuple):
    """A report that was written, with the facts that the index shows."""

    exhibit: Exhibit
    path: Path
    corpus: laconic.Corpus
    topics: laconic.Topics
    picture: str  # map of the topics as SVG


# --- corpora -------------------------------------------------------------------------------------


def fit_docstrings(data: Path) -> tuple[Any, laconic.Corpus]:
    corpus = laconic.datasets.load_pydocs()
    return laconic.pipeline("sc", n_components=40, random_state=0).fit(corpus), corpus


def fit_newsgroups(data: Path) -> tuple[Any, laconic.Corpus]:
    posts = lines_of(data / NEWSGROUPS)
    for post in posts:
        _, _, body = post["text"].partition("\n\n")  # without the header
        post["text"] = strip_newsgroup_footer(strip_newsgroup_quoting(body))
    corpus = read_frame(posts)
    return laconic.pipeline("sc", n_components=40, random_state=0).fit(corpus), corpus


def fit_reuters(data: Path) -> tuple[Any, laconic.Corpus]:
    stories = [story for story in lines_of(data / REUTERS) if story["text"] and story["topics"]]
    for story in stories:
        story["label"] = story["topics"][0]
    corpus = read_frame(stories)
    return laconic.pipeline("sc", n_components=40, random_state=0).fit(corpus), corpus


def fit_papers(data: Path) -> tuple[Any, laconic.Corpus]:
    from benchmarks.harness import Run
    from benchmarks.nips import titled_nips

    corpus = titled_nips(Run("gallery"))
    model = laconic.pipeline("sctm", n_components=30, correlated=True, random_state=0)
    return model.fit(corpus), corpus


def fit_genes(data: Path) -> tuple[Any, laconic.Corpus]:
    from examples.gene_pathways import read_expression

    corpus = read_expression(data / EXPRESSION)
    pathways = laconic.io.read_gmt(data / PATHWAYS)
    model = laconic.pipeline(
        "slsa",
        n_components=3,
        groups=pathways,
        alpha=2.5,
        positive=False,
        weighting="log-z-scores",
    )
    return model.fit(corpus), corpus


def lines_of(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def read_frame(rows: Sequence[dict[str, Any]]) -> laconic.Corpus:
    frame = pl.DataFrame(
        {name: [row[name] for row in rows] for name in ("id", "title", "text", "label")},
        schema=dict.fromkeys(("id", "title", "text", "label"), pl.String),
        strict=False,
    )
    return laconic.read(frame, text="text", title="title", label="label", id="id")


EXHIBITS = (
    Exhibit(
        "docstrings",
        "Docstrings of Python",
        "The built-in corpus: docstrings of Python, numpy, scipy and scikit-learn, labelled by "
        "module. Sparse coding, in which a document has few topics.",
        fit_docstrings,
    ),
    Exhibit(
        "newsgroups",
        "20 Newsgroups",
        "Posts to twenty newsgroups in 1993, without headers, quotes and signatures. Sparse "
        "coding.",
        fit_newsgroups,
        (NEWSGROUPS,),
    ),
    Exhibit(
        "reuters",
        "Reuters news",
        "News stories of 1987, labelled by their first topic code. Sparse coding.",
        fit_reuters,
        (REUTERS,),
    ),
    Exhibit(
        "nips",
        "NIPS papers",
        "Papers of the conferences 1987 to 1999, of which only word counts and titles are known. "
        "SCTM with correlated topics.",
        fit_papers,
        (NIPS,),
    ),
    Exhibit(
        "genes",
        "Pathways of cancer cells",
        "Gene expression of 50 cell lines with known p53 status. Sparse LSA, whose topics are "
        "whole pathways.",
        fit_genes,
        (EXPRESSION, PATHWAYS),
        {"terms": "genes", "items": "samples"},
    ),
)


# --- the gallery ---------------------------------------------------------------------------------


def main() -> None:
    """Write the gallery into the folder that is the first argument, or docs/_build/gallery."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    data = Path(os.environ[DATA]) if os.environ.get(DATA) else None
    index = make_gallery(folder, EXHIBITS, data)
    say(f"Wrote {index}")


def make_gallery(folder: Path, exhibits: Sequence[Exhibit], data: Path | None) -> Path:
    """Write the reports whose data are there, and the index; return the path of the index."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for exhibit in exhibits:
        missing = missing_files(exhibit, data)
        if missing:
            where = f"not in {data}" if data else f"{DATA} is not set"
            say(f"{exhibit.title}: left out ({', '.join(missing)}: {where})")
            continue
        started = time.perf_counter()
        written.append(write_report(exhibit, folder, data or folder))
        say(f"{exhibit.title}: {time.perf_counter() - started:.0f} s, {written[-1].path.name}")
    index = folder / "index.html"
    left_out = [exhibit.title for exhibit in exhibits if missing_files(exhibit, data)]
    index.write_text(index_page(written, left_out), encoding="utf-8")
    return index


def missing_files(exhibit: Exhibit, data: Path | None) -> list[str]:
    """Return the names of the files that a report needs and that are not there."""
    return [name for name in exhibit.files if data is None or not (data / name).is_file()]


def write_report(exhibit: Exhibit, folder: Path, data: Path) -> Written:
    model, corpus = exhibit.fit(data)
    path = folder / f"{exhibit.name}.html"
    laconic.report(model, corpus, path, title=exhibit.title, force=True, **exhibit.nouns)
    return Written(exhibit, path, corpus, laconic.topics(model, n_words=3), small_map(model))


def small_map(model: Any) -> str:
    """Return the map of topics as an SVG without names."""
    chart = laconic.plots.CHARTS["map"].draw(model).to_dict()
    circles = "".join(
        f'<circle data-group="{node["group"]}" cx="{node["x"]:.0f}" '
        f'cy="{chart["height"] - node["y"]:.0f}" r="{(node["area"] / math.pi) ** 0.5:.0f}"/>'
        for node in chart["layer"][0]["data"]["values"]
    )
    size = f"0 0 {chart['width']} {chart['height']}"
    return f'<svg viewBox="{size}" aria-hidden="true">{circles}</svg>'


def index_page(written: Sequence[Written], left_out: Sequence[str]) -> str:
    cards = "".join(map(card, written))
    missing = (
        f'<p class="about">Left out, because their data are missing: {escape(", ".join(left_out))}.'
        "</p>"
        if left_out
        else ""
    )
    body = (
        "<header><h1>Gallery of reports</h1>\n<p>Each report is one HTML file, written by "
        "<code>laconic.report</code> (<code>laconic report</code> on the command line). It opens "
        f'offline and can be sent or printed.</p>{missing}</header>\n<main class="grid">{cards}'
        "</main>"
    )
    return document("Gallery of reports", body, style=STYLE)


def card(written: Written) -> str:
    exhibit, corpus = written.exhibit, written.corpus
    items = exhibit.nouns.get("items", "documents")
    terms = exhibit.nouns.get("terms", "words")
    frame = written.topics.frame
    facts = (
        f"{len(corpus):,} {items}, {corpus.shape[1]:,} {terms}, {plural(len(frame), 'topic')}; "
        f"{size(written.path.stat().st_size)}".replace(" kB", "\N{NO-BREAK SPACE}kB")
    )
    largest = frame.sort("share", descending=True).head(N_TOPICS)["words"].to_list()
    topics = "".join(f"<li>{escape(', '.join(words))}</li>" for words in largest)
    return (
        f'<section class="card"><h2><a href="{exhibit.name}.html">{escape(exhibit.title)}</a></h2>'
        f'<p>{escape(exhibit.about)}</p><p class="meta">{escape(facts)}</p>'
        f'{written.picture}<h3 class="meta">Largest topics</h3><ul>{topics}</ul></section>\n'
    )


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
