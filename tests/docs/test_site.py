"""Test that the site builds without warnings, has no dead links and works without a network."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.site import dead_links, remote_files

pytest.importorskip("sphinx")
pytest.importorskip("myst_parser")
pytest.importorskip("furo")

TOP = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site with warnings as errors, and return its folder."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "--fail-on-warning", "--keep-going", "--quiet"]
    paths = [str(TOP / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]
    done = subprocess.run(
        [*command, "--doctree-dir", folder / "doctrees", TOP / "docs", folder / "html"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "html"


def test_every_local_link_and_fragment_exists(site: Path) -> None:
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 25
    assert {str(path.relative_to(site)): dead for path in pages if (dead := dead_links(path))} == {}


def test_no_page_loads_a_file_from_another_host(site: Path) -> None:
    files = [*site.rglob("*.html"), *site.rglob("*.css")]
    remote = {str(path.relative_to(site)): found for path in files if (found := remote_files(path))}
    assert remote == {}


def test_the_site_has_a_search_index(site: Path) -> None:
    assert "quickstart" in (site / "searchindex.js").read_text(encoding="utf-8")


def test_dead_links_and_remote_files_are_found(tmp_path: Path) -> None:
    (tmp_path / "b.html").write_text('<p id="here">')
    page = tmp_path / "a.html"
    page.write_text(
        '<a href="b.html#here"></a><a href="b.html#gone"></a><img src="no.png"><a href="#self"></a>'
        '<script src="https://cdn.example/a.js"></script><a href="https://example.org"></a>'
    )
    assert dead_links(page) == ["b.html#gone", "no.png", "#self"]
    assert remote_files(page) == ["https://cdn.example/a.js"]
    style = tmp_path / "a.css"
    style.write_text("@import 'x.css'; body { background: url(//cdn.example/a.png) }")
    assert remote_files(style) == ["//cdn.example/a.png"]
