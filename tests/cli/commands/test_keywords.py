"""Tests of ``laconic keywords``: its output as lines, tables, JSON and HTML pages."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import stat
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import polars as pl
import pytest

import laconic
from laconic.keyphrases.methods import METHODS
from tests.cli.running import Run, mentions, on_a_terminal, without_escapes, write_lines

STORIES = [
    {"id": "a", "title": "Cocoa", "body": "The cocoa prices rose, and the cocoa prices may fall."},
    {"id": "b", "title": "", "body": "The harbour is closed by ice; ships are in the harbour."},
    {"id": "c", "title": "Nothing", "body": ""},
    {"id": "d", "title": "Test", "body": "<script>alert(1)</script> & the café, the café."},
]


@pytest.fixture
def stories(tmp_path: Path) -> Path:
    path = tmp_path / "stories.jsonl"
    write_lines(path, STORIES)
    return path


def found(stories: Path, n: int = 5, method: str = "best") -> list[list[laconic.Keyword]]:
    return laconic.keywords(laconic.read(stories, text="body", stop_words="auto"), n, method)


def test_in_a_pipe_one_line_for_each_document(run: Run, stories: Path) -> None:
    lines = run("keywords", stories, "--text", "body", "-n", 2).stdout.splitlines()
    assert [line.split("\t")[:2] for line in lines] == [[s["id"], s["title"]] for s in STORIES]
    shown = [line.split("\t")[2] for line in lines]
    assert shown == [", ".join(word.word for word in few) for few in found(stories, 2)]
    assert shown[0].startswith("cocoa prices")
    assert shown[2] == ""


@pytest.mark.parametrize("method", METHODS)
def test_every_method(run: Run, stories: Path, method: str) -> None:
    lines = run("keywords", stories, "--text", "body", "--method", method).stdout.splitlines()
    expected = [", ".join(word.word for word in few) for few in found(stories, 5, method)]
    assert [line.split("\t")[2] for line in lines] == expected


def test_evidence(run: Run, stories: Path) -> None:
    lines = run("keywords", stories, "--text", "body", "-n", 1, "--why").stdout.splitlines()
    words = [few[0] for few in found(stories, 1) if few]
    assert [line.split("\t")[:2] for line in lines] == [
        [id_, word.word] for id_, word in zip("abd", words, strict=True)
    ]
    for line, word in zip(lines, words, strict=True):
        score, count, expected, position, residual, documents, burst = line.split("\t")[2:]
        assert float(score) == pytest.approx(word.score, abs=1e-6)
        assert float(expected) == pytest.approx(word.expected, abs=1e-6)
        assert float(burst) == pytest.approx(word.burst, abs=1e-6)
        assert (int(count), int(position), int(documents)) == (
            word.count,
            word.position,
            word.documents,
        )
        assert residual == ""


def test_json(run: Run, stories: Path) -> None:
    facts = json.loads(run("keywords", stories, "--text", "body", "--json").stdout)
    assert list(facts) == ["corpus", "method", "documents"]
    assert [document["id"] for document in facts["documents"]] == list("abcd")
    assert facts["documents"][1]["title"] is None
    assert facts["documents"][2]["keywords"] == []
    assert facts["documents"][0]["keywords"] == [word._asdict() for word in found(stories)[0]]


def test_a_model_adds_what_it_leaves_over(run: Run, posts: Path) -> None:
    run("fit", posts, "--text", "body", "-m", "pcp", "-k", 3, "-q", "-o", "pcp")
    lines = run("keywords", posts, "--text", "body", "--model", "pcp", "--why").stdout.splitlines()
    assert all(float(line.split("\t")[6]) >= 0 for line in lines)
    ranked = run("keywords", posts, "--text", "body", "--model", "pcp", "--method", "pcp").stdout
    assert len(ranked.splitlines()) == 60


def test_other_documents_to_compare_with(run: Run, stories: Path, tmp_path: Path) -> None:
    (tmp_path / "new.txt").write_text("The harbour and the walrus are in the harbour.\n")
    options = ("--background", stories, "--text", "body", "--why")
    with_stories = run("keywords", "new.txt", *options[:2], "--why").stdout.splitlines()
    harbour = next(line.split("\t") for line in with_stories if "\tharbour\t" in line)
    assert harbour[7] == "1"


def test_standard_input_and_counts(run: Run, stories: Path) -> None:
    piped = run(
        "keywords",
        "-",
        "--format",
        "jsonl",
        "--text",
        "body",
        input=stories.read_text(encoding="utf-8"),
    )
    assert piped.stdout == run("keywords", stories, "--text", "body").stdout
    run("convert", stories, "--text", "body", "--min-df", 1, "--max-df", 1.0, "-o", "bag.mtx")
    assert len(run("keywords", "bag.mtx").stdout.splitlines()) == 4


def test_a_table_on_a_terminal(stories: Path) -> None:
    lines = without_escapes(on_a_terminal("keywords", stories, "--text", "body", columns=80))
    text = "\n".join(lines)
    assert re.search(r"document +keywords", text)
    assert re.search(r"Cocoa +cocoa prices, ", text)
    assert re.search(r"\n *b +harbour", text)  # without a title, the id is shown
    lines = without_escapes(
        on_a_terminal("keywords", stories, "--text", "body", "--why", columns=100)
    )
    text = "\n".join(lines)
    assert re.search(r"document +keyword +score +count +expected +position +documents", text)
    assert "residual" not in text


# ---- HTML pages -----------------------------------------------------------------------------


class Page(HTMLParser):
    """The tags, marks and text of an HTML page; fails if a tag is not closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.marks: list[tuple[str, str, float]] = []
        self.text = self.script = ""
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in ("meta", "br", "input"):
            self.open.append(tag)
        if tag == "mark":
            values = dict(attributes)
            strength = float(str(values["style"]).removeprefix("--strength:"))
            self.marks.append(("", str(values["title"]), strength))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "script" in self.open:
            self.script += data
        elif "style" not in self.open:
            self.text += data
        if self.open[-1:] == ["mark"]:
            _, title, strength = self.marks[-1]
            self.marks[-1] = (data, title, strength)


def test_a_page_marks_the_keywords(run: Run, stories: Path, tmp_path: Path) -> None:
    assert run("keywords", stories, "--text", "body", "-o", "k.html").stdout == ""
    page = Page((tmp_path / "k.html").read_text(encoding="utf-8"))
    first = [mark for mark in page.marks if mark[1].startswith("cocoa prices:")]
    # The phrase is marked once in the list of keywords and twice in the text.
    assert [word for word, *_ in first] == ["cocoa prices"] * 3
    assert {strength for *_, strength in first} == {1.0}
    assert first[0][1] == (
        "cocoa prices: 2 times; first at word 2; cocoa: 0 expected, in no other document"
    )
    for story in STORIES:
        assert story["body"] in page.text
        assert (story["title"] or story["id"]) in page.text
    assert "No keywords." in page.text
    assert page.tags.count("article") == 4


def test_a_page_runs_only_its_own_script(run: Run, stories: Path, tmp_path: Path) -> None:
    run("keywords", stories, "--text", "body", "-o", "k.html")
    html = (tmp_path / "k.html").read_text(encoding="utf-8")
    (script,) = re.findall(r"<script>(.*?)</script>", html, flags=re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert "default-src 'none'; " in html
    assert f"script-src 'sha256-{digest}'\"" in html
    assert "&lt;<mark" in html
    assert not re.search(r"<(link|img|iframe|object)|https?:|url\(|innerHTML", html)
    assert "prefers-color-scheme: dark" in html


def test_documents_are_in_batches(run: Run, posts: Path, tmp_path: Path) -> None:
    run("keywords", posts, "--text", "body", "-o", "k.html")
    html = (tmp_path / "k.html").read_text(encoding="utf-8")
    batches = [
        json.loads(text)
        for text in re.findall('class="batch">(.*?)</script>', html, flags=re.DOTALL)
    ]
    assert [len(batch) for batch in batches] == [50, 10]
    assert html.count("<article>") == 50  # without scripts, the first documents are visible
    assert "Switch on scripts to see all 60 documents." in html
    assert '<form class="tools" role="search" hidden>' in html


def test_tables_and_lines(run: Run, stories: Path) -> None:
    rows = [
        (story["id"], story["title"] or None, word.word, word.position)
        for story, words in zip(STORIES, found(stories), strict=True)
        for word in words
    ]
    for name in ("k.csv", "k.csv.gz", "k.parquet"):
        result = run("keywords", stories, "--text", "body", "-o", name)
        mentions(result, f"Wrote {name} (")
        assert result.stdout == ""
        table = (pl.read_parquet if name == "k.parquet" else pl.read_csv)(name)
        assert table.columns == [
            "id", "title", "keyword", "score", "count", "expected", "position", "residual",
            "documents", "burst",
        ]  # fmt: skip
        assert table.select("id", "title", "keyword", "position").rows() == rows
    run("keywords", stories, "--text", "body", "-o", "k.jsonl")
    lines = Path("k.jsonl").read_text(encoding="utf-8").splitlines()
    facts = json.loads(run("keywords", stories, "--text", "body", "--json").stdout)
    assert [json.loads(line) for line in lines] == facts["documents"]


def test_quiet_and_the_option_of_an_earlier_version(run: Run, stories: Path) -> None:
    assert run("keywords", stories, "--text", "body", "-q", "--html", "k.html").stderr == ""
    assert Path("k.html").exists()
    mentions(
        run("keywords", stories, "-o", "k.xls", status=2), "'k.xls'", ".parquet, .jsonl, .html"
    )


def test_accents_are_no_matter(run: Run, stories: Path, tmp_path: Path) -> None:
    options = ("--text", "body", "--strip-accents", "unicode", "-o", "k.html")
    run("keywords", stories, *options)
    page = Page((tmp_path / "k.html").read_text(encoding="utf-8"))
    assert [word for word, title, _ in page.marks if title.startswith("cafe:")] == [
        "cafe",
        "café",
        "café",
    ]


def test_a_page_is_written_whole_or_not_at_all(run: Run, stories: Path, tmp_path: Path) -> None:
    target = tmp_path / "k.html"
    target.write_text("mine")
    again = run("keywords", stories, "--text", "body", "-o", target, status=1)
    mentions(again, f"laconic: error: {target}: ", "exists", "--force")
    assert again.stderr.count("\n") == 1
    assert target.read_text(encoding="utf-8") == "mine"
    result = run("keywords", stories, "--text", "body", "-o", target, "--force")
    mentions(result, f"Wrote {target} (", "B).")
    assert target.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    missing = run("keywords", stories, "--text", "body", "-o", "no/k.html", status=1)
    mentions(missing, "error: no/k.html: ", "does not exist")
    assert [path.name for path in tmp_path.iterdir() if ".tmp" in path.name] == []
    assert stat.S_ISREG(target.stat().st_mode)


# ---- invalid input --------------------------------------------------------------------------


def test_one_sentence_for_bad_input(run: Run, stories: Path) -> None:
    unknown = run("keywords", stories, "--text", "body", "--method", "magic", status=2)
    mentions(unknown, "--method", "'magic'", "best, counts, tfidf, position, llr, pcp")
    mentions(run("keywords", stories, "--text", "body", "-n", 0, status=2), "-n", "'0'", " 1 ")
    for option in ("--json", "--why"):
        both = run("keywords", stories, "-o", "k.html", option, status=2)
        mentions(both, "-o", option, "not both")
    run("convert", stories, "--text", "body", "--min-df", 1, "--max-df", 1.0, "-o", "bag.mtx")
    bare = run("keywords", "bag.mtx", "--method", "position", status=1)
    mentions(bare, "position", "no text")
    assert bare.stderr.splitlines()[-1].startswith("laconic: error: ")
    missing = run("keywords", "none.jsonl", status=1)
    mentions(missing, "error: none.jsonl: ")
    assert "Traceback" not in missing.stderr


# ---- documents in parts ---------------------------------------------------------------------


@pytest.mark.parametrize("name", ["k.csv", "k.parquet", "k.jsonl", "k.html", "k.csv.gz"])
def test_files_do_not_depend_on_parts(
    run: Run, stories: Path, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def written(path: Path) -> object:
        run("keywords", stories, "--text", "body", "-o", path)
        if name.endswith("html") or name.endswith("jsonl"):
            return path.read_text()
        return (pl.read_parquet if name.endswith("parquet") else pl.read_csv)(path).to_dicts()

    whole = written(tmp_path / f"whole-{name}")
    monkeypatch.setattr("laconic.keyphrases.keywords.ROWS", 1)
    assert written(tmp_path / f"parts-{name}") == whole


@pytest.mark.parametrize("options", [[], ["--why"], ["--json"]])
def test_printed_lines_do_not_depend_on_parts(
    run: Run, stories: Path, options: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = run("keywords", stories, "--text", "body", *options).stdout
    monkeypatch.setattr("laconic.keyphrases.keywords.ROWS", 1)
    assert run("keywords", stories, "--text", "body", *options).stdout == whole
    if options == ["--json"]:
        assert whole == json.dumps(json.loads(whole), indent=2, ensure_ascii=False) + "\n"


def test_a_page_has_a_limit(
    run: Run, stories: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("laconic.keyphrases.html.MOST", 2)
    path = tmp_path / "few.html"
    result = run("keywords", stories, "--text", "body", "-o", path)
    mentions(result, "the first 2 of 4 documents", ".parquet")
    page = path.read_text()
    assert page.count("<article>") == 2
    assert "The first 2 of 4 documents." in page


def test_texts_are_cut_if_there_are_many(
    run: Run, stories: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("laconic.keyphrases.html.MOST_CHARACTERS", 40)
    monkeypatch.setattr("laconic.keyphrases.html.SHORTEST_CUT", 10)
    path = tmp_path / "cut.html"
    run("keywords", stories, "--text", "body", "-o", path)
    page = path.read_text()
    assert "Texts longer than 10 characters are cut." in page
    texts = re.findall(r'<p class="text">(.*?)</p>', page, flags=re.DOTALL)
    lengths = [len(unescape(re.sub("<[^>]*>", "", text))) for text in texts]
    assert max(lengths) <= 11
    assert any(text.endswith("…") for text in texts)


def test_of_the_built_in_corpus(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    small = laconic.read(["cats purr at night", "dogs bark all day", "cats and dogs"])
    monkeypatch.setattr("laconic.datasets.load_pydocs", lambda: small)
    done = run("keywords", "pydocs", "-n", "1")
    assert len(done.stdout.splitlines()) == 3
