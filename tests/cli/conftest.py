"""A small corpus, a model of it, and the command line in this process."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from laconic.cli.main import laconic

from .running import Run, documents


@pytest.fixture(autouse=True)
def _no_debug(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LACONIC_DEBUG", raising=False)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command in an empty folder; fails the test unless it ends with `status`."""
    monkeypatch.chdir(tmp_path)

    def invoke(*arguments: object, status: int = 0) -> Result:
        result = CliRunner().invoke(laconic, [str(argument) for argument in arguments])
        assert result.exit_code == status, (result.stdout, result.stderr, result.exception)
        return result

    return invoke


@pytest.fixture(scope="session")
def posts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sixty documents as lines of JSON."""
    path = tmp_path_factory.mktemp("posts") / "posts.jsonl"
    path.write_text("".join(json.dumps(document) + "\n" for document in documents()))
    return path


@pytest.fixture(scope="session")
def model(posts: Path) -> Path:
    """A model of the three themes."""
    return fitted(posts, "posts.model", "-k", 3, "--words-per-topic", 5)


@pytest.fixture(scope="session")
def coding(posts: Path) -> Path:
    """A model with codes for words."""
    return fitted(posts, "coding.model", "-m", "stc", "-k", 3)


@pytest.fixture(scope="session")
def groups(posts: Path) -> Path:
    """A model that learned the three themes as classes."""
    return fitted(posts, "groups.model", "-m", "medstc", "-k", 6, "--label", "group")


def fitted(posts: Path, name: str, *options: object) -> Path:
    path = posts.with_name(name)
    arguments = ["fit", posts, "--text", "body", "-o", path, *options]
    result = CliRunner().invoke(laconic, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.stderr
    return path
