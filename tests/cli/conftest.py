"""Fixtures: a small corpus, models fitted to it, and the command line in this process."""

from __future__ import annotations

from pathlib import Path

import pytest

from laconic.engines import ENGINES
from laconic.engines.base import Serial
from tests.messages import compare

from .running import Result, Run, documents, in_process, write_lines


@pytest.fixture(autouse=True)
def _no_debug(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LACONIC_DEBUG", raising=False)


@pytest.fixture
def run(tmp_path: Path, posts: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command in an empty folder; the test fails unless its exit status is `status`.

    The standard error of a failed command is compared with the golden file. With ``golden=True``,
    the standard error of a successful command is compared too.
    """
    monkeypatch.chdir(tmp_path)

    def invoke(
        *arguments: object, status: int = 0, golden: bool | None = None, input: str = ""
    ) -> Result:
        result = in_process(*arguments, input=input)
        assert result.exit_code == status, (result.stdout, result.stderr, result.exception)
        if (bool(status) if golden is None else golden) and result.exception is None:
            said = result.stderr.replace(str(tmp_path), "HERE").replace(str(posts.parent), "SHELF")
            compare(said.rpartition("\nError: ")[2].removesuffix("\n"))  # without the usage line
        return result

    return invoke


@pytest.fixture
def interrupting_engine(monkeypatch: pytest.MonkeyPatch, small_chunks: None) -> str:
    """The name of an engine that fits PLSA, and is interrupted when documents are encoded."""
    engines = iter([Serial()])

    def next_engine(n_jobs: int | None) -> Serial:
        for engine in engines:
            return engine
        raise KeyboardInterrupt

    monkeypatch.setitem(ENGINES, "interrupting", next_engine)
    return "interrupting"


@pytest.fixture(scope="session")
def posts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of sixty documents as JSON lines."""
    path = tmp_path_factory.mktemp("posts") / "posts.jsonl"
    write_lines(path, documents())
    return path


# ---- models; each is fitted once, when a test first needs it ------------------------------------


@pytest.fixture(scope="session")
def model(posts: Path) -> Path:
    """A saved Sparse LSA model of the three themes."""
    return fitted(posts, "posts.model", "-k", 3, "--words-per-topic", 5)


@pytest.fixture(scope="session")
def coding(posts: Path) -> Path:
    """A saved STC model, which has word codes."""
    return fitted(posts, "coding.model", "-m", "stc", "-k", 3)


@pytest.fixture(scope="session")
def groups(posts: Path) -> Path:
    """A saved MedSTC model, whose classes are the three themes."""
    return fitted(posts, "groups.model", "-m", "medstc", "-k", 6, "--label", "group")


def fitted(posts: Path, name: str, *options: object) -> Path:
    path = posts.with_name(name)
    result = in_process("fit", posts, "--text", "body", "-o", path, *options)
    assert result.exit_code == 0, (result.stderr, result.exception)
    return path
