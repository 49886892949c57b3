"""Test that the code of every page runs, block by block, with small sample files."""

from __future__ import annotations

import importlib
import pkgutil
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import joblib
import pytest

from tests.docs import samples
from tests.docs.blocks import Block, blocks
from tests.docs.shell import plain_arguments, run_shell

TOP = Path(__file__).parents[2]
# Pages that are generated, or that show a file of another folder
GENERATED = {"benchmarks.md", "changelog.md", "contributing.md", "security.md", "commands.md"}
PAGES = [
    "README.md",
    *sorted(
        path.relative_to(TOP).as_posix()
        for path in (TOP / "docs").rglob("*.md")
        if path.name not in GENERATED
        and "_build" not in path.parts
        and re.search(r"^ *```(python|sh|bash)$", path.read_text(encoding="utf-8"), re.M)
    ),
]


# ---- what a page leaves behind, for some pages -------------------------------------------------


def check_words(names: dict[str, Any]) -> None:
    assert "the" in names["everything"].vocabulary
    assert "new york" in names["model"]["text"].vocabulary_
    assert names["corpus"].vocabulary.tolist() == ["go", "mouse"]


def check_genes(names: dict[str, Any]) -> None:
    assert names["codes"].shape == (50, 3)
    labels = names["groups"]["label"].to_list()
    assert {f"pathway{p} (18 of 19 genes measured)" for p in (1, 4, 7)} <= set(labels)
    page = Path("p53.html").read_text(encoding="utf-8")
    assert "pathway4 (18 of 19 genes measured)" in page
    assert Path("p53.model", "model.json").is_file()


CHECKS: dict[str, Callable[[dict[str, Any]], None]] = {
    "docs/features/words.md": check_words,
    "docs/guides/genes.md": check_genes,
}


# ---- running -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PAGES)
def test_the_code_of_a_page_runs(
    name: str,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = (TOP / name).read_text(encoding="utf-8")
    found = blocks(text)
    if not any(block.runs for block in found):
        pytest.skip("no code to run")
    write_samples(text, tmp_path)
    monkeypatch.chdir(tmp_path)
    stop_servers_at_once(monkeypatch)
    programs = tmp_path_factory.mktemp("programs")
    names: dict[str, Any] = {"__name__": "__page__"}
    with joblib.parallel_config(backend="threading"):  # no processes that take seconds to start
        for block in found:
            if block.runs:
                run(block, name, names, programs)
    if name in CHECKS and all(block.runs for block in found):
        CHECKS[name](names)


def run(block: Block, page: str, names: dict[str, Any], programs: Path) -> None:
    """Run a block, which must raise an exception if the page says so."""
    expected = block.rules.get("raises")
    try:
        if block.language == "sh":
            run_shell(block.code, programs)
        else:
            # Empty lines on top, so that a traceback has the line numbers of the page.
            exec(compile("\n" * (block.line - 1) + block.code, page, "exec"), names)
    except Exception as error:
        if expected in {kind.__name__ for kind in type(error).__mro__}:
            return
        error.add_note(f"in {page}, in the block at line {block.line}")
        raise
    assert expected is None, f"{page}, line {block.line}: did not raise {expected}"


def write_samples(text: str, folder: Path) -> None:
    """Write the sample files whose names occur in the text of a page."""
    for module in pkgutil.iter_modules(samples.__path__):
        if module.name.startswith("_"):
            continue
        sample = importlib.import_module(f"{samples.__name__}.{module.name}")
        if sample.NAME in text:
            sample.write(folder / sample.NAME)


def stop_servers_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the explorer start its server, open no browser, and stop at once."""
    try:
        from laconic.cli.commands import explore
        from laconic.web.server import serving
    except ImportError:  # the packages of the extra "web" are missing
        return

    @contextmanager
    def terminated() -> Iterator[threading.Event]:
        event = threading.Event()
        event.set()
        yield event

    monkeypatch.setattr(serving, "_terminated", terminated)
    monkeypatch.setattr(serving, "open_browser", lambda url: None)
    monkeypatch.setattr(explore, "_exit", lambda: None)


# ---- the harness itself ------------------------------------------------------------------------


def test_rules_apply_to_the_next_block() -> None:
    page = (
        "<!-- not run: needs a cluster -->\n```sh\na\n```\n\n```python\nb\n```\n```text\nc\n```\n"
    )
    first, second = blocks(page)
    assert (first.language, first.runs, first.line) == ("sh", False, 3)
    assert (second.code, second.runs, second.rules) == ("b\n", True, {})
    assert not blocks("<!-- needs: no_such_package -->\n```python\na\n```\n")[0].runs


@pytest.mark.parametrize(
    "page", ["```python\na\n", "<!-- not run: x -->\ntext\n", "```pyhton\na\n```\n"]
)
def test_mistakes_in_a_page_are_found(page: str) -> None:
    with pytest.raises(ValueError, match="line"):
        blocks(page)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("laconic fit 'logs/*.jsonl' -k 5  # a comment", ["fit", "logs/*.jsonl", "-k", "5"]),
        ("laconic tune posts.jsonl -k 5:20,30", ["tune", "posts.jsonl", "-k", "5:20,30"]),
        ("laconic fit logs/*.jsonl", None),
        ("zcat a.gz | laconic fit -", None),
        ("laconic info a.model --json > a.json", None),
        ("ls", None),
    ],
)
def test_only_plain_commands_run_without_a_shell(line: str, expected: list[str] | None) -> None:
    assert plain_arguments(line) == expected
