"""Tests of the built-in corpora: installed docstrings, their cache, and planted topics."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from laconic.corpus.corpus import Corpus
from laconic.datasets import load_pydocs, make_topics, pydocs
from tests.messages import check, refused

# A few modules and a package "animals", which replace all installed packages in the tests.
FILES = {
    "stdlib/json/__init__.py": '''
"""Cats and dogs are the words of this text about ten words long."""
class Load:
    @property
    def f(self):
        """A getter with a text of its own about cats, ten words."""
    @f.setter
    def f(self, value):
        """A setter with a text of its own about dogs, ten words."""
''',
    "stdlib/asyncio/events.py": '"""Events are what the loop waits for in this long text."""',
    "animals/__init__.py": '"""Animals of all kinds are the words of this longer text."""',
    "animals/_core/_multi.py": '"""Many cats at once are the words of this longer text."""',
    "animals/pipeline.py": '"""One cat after the other: the words of this longer text."""',
    "animals/stats/__init__.py": "",
    "animals/stats/_a.py": 'def f():\n    """This text stands at two names, and is kept at one."""',
    "animals/stats/_b.py": '''
def g():
    """This text stands at two names, and is kept at one."""
def h():
    """The parameter n_cats counts the cats, and that is all there is."""
''',
}
TITLES = [
    *("asyncio.events", "json", "json.Load.f", "json.Load.f"),
    *("animals", "animals.pipeline", "animals._core._multi"),
    *("animals.stats._a.f", "animals.stats._b.h"),
]


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Create a folder that replaces the installed packages, and return its path."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "animals" / "_core" / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(pydocs, "STDLIB", tmp_path / "stdlib")
    # "animals" has the version of numpy
    monkeypatch.setattr(pydocs, "PACKAGES", {"animals": "numpy"})
    monkeypatch.setitem(pydocs.SETTINGS, "min_df", 1)
    return tmp_path


def change(installed: Path, word: str) -> None:
    """Change a docstring of "animals", so that `word` shows whether it was parsed again."""
    text = f'"""Here {word} are the words of this text, ten or more."""'
    (installed / "animals" / "__init__.py").write_text(text)


def test_second_load_comes_from_the_cache(installed: Path, tmp_path: Path) -> None:
    first = load_pydocs(cache_dir=tmp_path / "cache")
    change(installed, "zebras")
    second = load_pydocs(cache_dir=tmp_path / "cache")
    assert (first.counts != second.counts).nnz == 0
    for name in ("vocabulary", "ids", "titles", "labels", "texts"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))
    assert "zebras" in load_pydocs(cache_dir=tmp_path / "cache", refresh=True).vocabulary


def test_each_text_is_kept_once_and_ids_are_unique(installed: Path, tmp_path: Path) -> None:
    corpus = load_pydocs(cache_dir=tmp_path / "cache")
    assert corpus.titles.tolist() == TITLES
    assert corpus.ids[3] == "json.Load.f#2"
    assert len(set(corpus.ids)) == len(set(corpus.texts)) == len(corpus) == len(TITLES)


def test_labels_are_public_subpackages(installed: Path, tmp_path: Path) -> None:
    assert load_pydocs(cache_dir=tmp_path / "cache").labels.tolist() == [
        *("asyncio", "json", "json", "json"),
        *("animals", "animals.pipeline", "animals"),
        *("animals.stats", "animals.stats"),
    ]


def test_words_are_letters_without_stop_words(installed: Path, tmp_path: Path) -> None:
    corpus = load_pydocs(cache_dir=tmp_path / "cache")
    assert {"cats", "dogs", "parameter"} < set(corpus.vocabulary)
    assert corpus[-1].words["cats"] == 2
    assert not {"and", "the", "n_cats"} & set(corpus.vocabulary)


def test_a_pipeline_can_count_new_text_as_the_corpus_was_counted(
    installed: Path, tmp_path: Path
) -> None:
    corpus = load_pydocs(cache_dir=tmp_path / "cache")
    assert corpus.vectorizer is not None
    assert corpus.vectorizer["token_pattern"] == pydocs.SETTINGS["token_pattern"]


@pytest.mark.parametrize("damage", ["garbage", "half", "documents", "empty"])
def test_a_damaged_cache_is_made_anew(installed: Path, tmp_path: Path, damage: str) -> None:
    load_pydocs(cache_dir=tmp_path / "cache")
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
    change(installed, "zebras")
    again = load_pydocs(cache_dir=tmp_path / "cache")
    assert "zebras" in again.vocabulary
    assert len(again) == len(TITLES)
    change(installed, "llamas")
    # the cache was repaired
    assert "zebras" in load_pydocs(cache_dir=tmp_path / "cache").vocabulary


@pytest.mark.parametrize(
    ("owner", "step"), [(pydocs, "_installed_docstrings"), (Corpus, "save")], ids=["parse", "save"]
)
def test_a_cache_that_another_process_wrote_meanwhile_is_left_alone(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owner: Any, step: str
) -> None:
    """The other process writes the cache just before the given step, and may still read it."""
    folder = tmp_path / "cache"
    written: list[int] = []
    original = getattr(owner, step)

    def after_another_process(*arguments: Any) -> Any:
        monkeypatch.setattr(owner, step, original)
        load_pydocs(cache_dir=folder)
        written.extend(store.stat().st_mtime_ns for store in folder.iterdir())
        return original(*arguments)

    monkeypatch.setattr(owner, step, after_another_process)
    assert len(load_pydocs(cache_dir=folder)) == len(TITLES)
    assert len(written) == 1
    assert [store.stat().st_mtime_ns for store in folder.iterdir()] == written


def test_a_cache_folder_that_cannot_be_written_is_not_fatal(
    installed: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("in the way")
    corpus = load_pydocs(cache_dir=tmp_path / "file" / "cache")
    assert len(corpus) == len(TITLES)
    (said,) = caplog.messages
    check(said, "cached", str(tmp_path / "file"), golden=False)


def test_cache_folder_follows_the_environment(
    installed: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.delenv("LACONIC_CACHE", raising=False)
    if sys.platform == "linux":
        load_pydocs()
        assert len(list((tmp_path / "xdg" / "laconic").iterdir())) == 1
    monkeypatch.setenv("LACONIC_CACHE", str(tmp_path / "own"))
    load_pydocs()
    assert len(list((tmp_path / "own").iterdir())) == 1


def test_the_cache_is_named_by_all_that_its_contents_depend_on(
    installed: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(pydocs, "PACKAGES", {"animals": "numpy", "ghosts": "no-such-project"})
    load_pydocs(cache_dir=tmp_path / "cache")
    (store,) = (tmp_path / "cache").iterdir()
    assert f"numpy-{np.__version__}" in store.name
    assert "{}.{}.{}".format(*sys.version_info) in store.name
    assert "no-such-project-none" in store.name


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
        ({"topics_per_document": 11}, ["topics_per_document", "n_topics=10", "got 11"]),
        ({"topics_per_document": 0}, ["topics_per_document", "got 0"]),
        ({"overlap": 0.7}, ["overlap", "got 0.7"]),
        ({"background": -1}, ["background", "got -1"]),
    ],
)
def test_impossible_sizes_get_a_sentence(arguments: dict, parts: list[str]) -> None:
    with refused(*parts):
        make_topics(**arguments)
