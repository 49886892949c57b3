"""The built-in corpora: installed docstrings and their cache, and topics that were planted."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from laconic import datasets
from laconic.corpus import Corpus
from laconic.datasets import load_pydocs, make_topics
from laconic.docstrings import Docstring
from tests.messages import refused


@pytest.mark.parametrize(
    ("module", "label"),
    [
        ("json", "json"),
        ("asyncio.events", "asyncio"),
        ("scipy.stats._stats_py", "scipy.stats"),
        ("sklearn.linear_model._base", "sklearn.linear_model"),
        ("sklearn.pipeline", "sklearn.pipeline"),
        ("numpy", "numpy"),
        ("numpy._core.multiarray", "numpy"),
    ],
)
def test_labels_are_public_subpackages(module: str, label: str) -> None:
    assert datasets._label(module) == label


DOCSTRINGS = [
    Docstring("json", "json", "Cats and dogs are the words of this text."),
    Docstring("json.load", "json", "A getter with a text of its own about cats."),
    Docstring("json.load", "json", "A setter with a text of its own about dogs."),
    Docstring("scipy.stats._a.f", "scipy.stats._a", "A text that stands at two names."),
    Docstring("scipy.stats._b.g", "scipy.stats._b", "A text that stands at two names."),
    Docstring("scipy.stats._b.h", "scipy.stats._b", "The parameter n_cats counts cats."),
]


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """A few docstrings are all that is installed; tells how often they were parsed."""
    calls = []

    def parse(verbose: bool | None) -> list[Docstring]:
        calls.append(verbose)
        return DOCSTRINGS

    monkeypatch.setattr(datasets, "_installed_docstrings", parse)
    monkeypatch.setitem(datasets.SETTINGS, "min_df", 1)
    return lambda: len(calls)


def test_second_load_comes_from_the_cache(parsed: Callable[[], int], tmp_path: Path) -> None:
    first = load_pydocs(cache_dir=tmp_path / "cache")
    second = load_pydocs(cache_dir=tmp_path / "cache")
    assert parsed() == 1
    assert (first.counts != second.counts).nnz == 0
    for name in ("vocabulary", "ids", "titles", "labels", "texts"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))
    load_pydocs(cache_dir=tmp_path / "cache", refresh=True)
    assert parsed() == 2


def test_each_text_is_kept_once_and_ids_are_unique(
    parsed: Callable[[], int], tmp_path: Path
) -> None:
    corpus = load_pydocs(cache_dir=tmp_path / "cache")
    assert corpus.titles.tolist() == [
        "json",
        "json.load",
        "json.load",
        "scipy.stats._a.f",
        "scipy.stats._b.h",
    ]
    assert corpus.ids[2] == "json.load#2"
    assert len(set(corpus.ids)) == len(set(corpus.texts)) == len(corpus) == 5
    assert corpus.labels.tolist() == ["json"] * 3 + ["scipy.stats"] * 2


def test_words_are_letters_without_stop_words(parsed: Callable[[], int], tmp_path: Path) -> None:
    corpus = load_pydocs(cache_dir=tmp_path / "cache")
    assert {"cats", "dogs", "parameter"} < set(corpus.vocabulary)
    assert corpus[4].words["cats"] == 2
    assert not {"and", "the", "n_cats"} & set(corpus.vocabulary)


def test_a_pipeline_can_count_new_text_as_the_corpus_was_counted(
    parsed: Callable[[], int], tmp_path: Path
) -> None:
    corpus = load_pydocs(cache_dir=tmp_path / "cache")
    assert corpus.vectorizer is not None
    assert corpus.vectorizer["token_pattern"] == datasets.SETTINGS["token_pattern"]


@pytest.mark.parametrize("damage", ["garbage", "half", "documents", "empty"])
def test_a_damaged_cache_is_made_anew(
    parsed: Callable[[], int], tmp_path: Path, damage: str
) -> None:
    whole = load_pydocs(cache_dir=tmp_path / "cache")
    texts = list(whole.texts)
    (store,) = (tmp_path / "cache").iterdir()
    if damage == "garbage":
        (store / "corpus.json").write_text("{")
    elif damage in ("half", "documents"):
        kind = "*.npy" if damage == "half" else "documents*"
        largest = max(store.glob(kind), key=lambda path: path.stat().st_size)
        largest.write_bytes(largest.read_bytes()[:-5])
    else:
        for path in store.rglob("*.*"):
            path.unlink()
    again = load_pydocs(cache_dir=tmp_path / "cache")
    assert parsed() == 2
    assert list(again.texts) == texts
    load_pydocs(cache_dir=tmp_path / "cache")
    assert parsed() == 2


def test_a_cache_folder_that_cannot_be_written_is_not_fatal(
    parsed: Callable[[], int], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("in the way")
    corpus = load_pydocs(cache_dir=tmp_path / "file" / "cache")
    assert len(corpus) == 5
    assert "could not be cached" in caplog.text


def test_cache_folder_follows_the_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.delenv("LACONIC_CACHE", raising=False)
    if sys.platform == "linux":
        assert datasets._cache_folder() == tmp_path / "xdg" / "laconic"
    monkeypatch.setenv("LACONIC_CACHE", str(tmp_path / "own"))
    assert datasets._cache_folder() == tmp_path / "own"
    assert datasets._cache_folder(tmp_path / "given") == tmp_path / "given"


def test_cache_key_names_all_that_the_contents_depend_on() -> None:
    key = datasets._pydocs_key()
    assert np.__version__ in key
    assert "{}.{}.{}".format(*sys.version_info) in key
    assert "scikit-learn" in key


# ---- planted topics ----


def test_planted_topics_are_what_was_asked_for() -> None:
    corpus, truth = make_topics(300, 400, 7, words_per_topic=12, topics_per_document=3)
    assert isinstance(corpus, Corpus)
    assert corpus.shape == (300, 400)
    np.testing.assert_allclose(truth.topics.sum(axis=1), 1)
    np.testing.assert_allclose(truth.codes.sum(axis=1), 1)
    assert (np.count_nonzero(truth.topics, axis=1) == 12).all()
    assert (np.count_nonzero(truth.codes, axis=1) == 3).all()
    np.testing.assert_array_equal(corpus.labels, truth.codes.argmax(axis=1))
    for k in range(7):
        assert all(word.startswith(f"t0{k}w") for word in corpus.vocabulary[truth.topics[k] > 0])
    assert list(corpus.vocabulary) == sorted(corpus.vocabulary)


def test_counts_follow_the_planted_distributions() -> None:
    corpus, truth = make_topics(2000, 100, 4, words_per_topic=10, background=0.2)
    counts = corpus.counts.toarray()
    length = counts.sum(axis=1)
    assert abs(length.mean() - 100) < 1
    is_background = np.array([word.startswith("bg") for word in corpus.vocabulary])
    assert abs(counts[:, is_background].sum() / counts.sum() - 0.2) < 0.01
    expected = 0.8 * length @ truth.codes @ truth.topics + 0.2 * length.sum() * is_background / 60
    observed = counts.sum(axis=0)
    assert (np.abs(observed - expected) < 5 * np.sqrt(expected)).all()


def test_topics_overlap_by_words_of_the_next_topic() -> None:
    _, truth = make_topics(50, 200, 5, words_per_topic=10, overlap=0.3)
    used = truth.topics > 0
    shared = used.astype(int) @ used.T.astype(int)
    assert (np.diag(shared) == 10).all()
    assert all(shared[k, (k + 1) % 5] == 3 for k in range(5))
    assert shared[0, 2] == 0


def test_the_same_seed_gives_the_same_corpus() -> None:
    first, second, other = (make_topics(random_state=seed)[0] for seed in (3, 3, 4))
    assert (first.counts != second.counts).nnz == 0
    assert (first.counts != other.counts).nnz > 0


def test_degenerate_sizes() -> None:
    corpus, truth = make_topics(1, 5, 1, words_per_topic=5, topics_per_document=1, background=0)
    assert corpus.shape == (1, 5)
    assert truth.codes.tolist() == [[1.0]]
    assert make_topics(3, 4000, 120, topics_per_document=1)[0].vocabulary[-1] == "t119w19"


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        ({"n_words": 200}, ["n_words"]),
        ({"topics_per_document": 11}, ["topics_per_document", "n_topics = 10", "got 11"]),
        ({"topics_per_document": 0}, ["topics_per_document", "got 0"]),
        ({"overlap": 0.7}, ["overlap", "got 0.7"]),
        ({"background": -1}, ["background", "got -1"]),
    ],
)
def test_impossible_sizes_get_a_sentence(arguments: dict, parts: list[str]) -> None:
    with refused(*parts):
        make_topics(**arguments)
