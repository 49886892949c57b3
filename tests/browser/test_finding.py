"""Tests of `finding`: which browser is used, and what happens without a browser."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from . import finding

SKIPPED = "The browser tests will be skipped: install Debian's package chromium, or name a"
NO_NODE = "The browser tests will be skipped: Playwright's node does not run here; install Debian's"
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="apt-get is of Linux")


def program(folder: Path, name: str, script: str = "exit 0") -> Path:
    """Create a program that runs the shell script `script`."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def have_a_browser(folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Run finding.py with only the programs in `folder` on the PATH.

    The Node.js of Playwright is also a program in this folder.
    """
    if not (folder / "node").exists():
        program(folder, "node")
    more = {"PLAYWRIGHT_NODEJS_PATH": str(folder / "node"), **more}
    return subprocess.run(
        [sys.executable, finding.__file__],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={"PATH": str(folder), **more},
    )


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A folder of programs without a browser, in which `sudo` needs no password."""
    program(tmp_path, "sudo", 'shift; exec "$@"')
    program(tmp_path, "env", 'while case "$1" in *=*) ;; *) false;; esac; do shift; done; "$@"')
    program(tmp_path, "true")
    return tmp_path


def test_the_first_browser_that_is_installed_is_used(tmp_path, monkeypatch):
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(finding, "NAMES", finding.NAMES[:3])
    assert finding.find_browser() is None
    chrome = program(tmp_path, "google-chrome")
    assert finding.find_browser() == str(chrome)
    chromium = program(tmp_path, "chromium")
    assert finding.find_browser() == str(chromium)


def test_the_browser_that_the_user_names_comes_first(tmp_path, monkeypatch):
    program(tmp_path, "chromium")
    mine = program(tmp_path, "mine")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("CHROMIUM", str(mine))
    assert finding.find_browser() == str(mine)
    monkeypatch.setenv("CHROMIUM", str(tmp_path / "nowhere"))
    with pytest.raises(SystemExit, match="nowhere, which is no program; install"):
        finding.find_browser()


def test_a_browser_that_is_there_is_not_installed_again(tmp_path):
    mine = program(tmp_path, "mine")
    done = have_a_browser(tmp_path, CHROMIUM=str(mine))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@on_linux
def test_debians_chromium_is_installed_without_a_question(bare):
    log, archive = bare / "log", program(bare, "archive")
    arrives = f"{shutil.which('cp')} {archive} {bare / 'chromium'}"
    program(bare, "apt-get", f'echo "$@" >> {log}; case "$*" in *install*) {arrives};; esac')
    done = have_a_browser(bare)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "Installing Debian's chromium and libatomic1 for the browser tests (a minute, once)"
    ]
    first, second = log.read_text().splitlines()
    assert first.endswith("update")
    assert second.endswith("install -y --no-install-recommends chromium libatomic1")


@on_linux
def test_what_playwright_needs_is_installed_beside_a_browser_that_is_there(bare):
    mine, log, works = program(bare, "mine"), bare / "log", program(bare, "works")
    program(bare, "node", "exit 127")  # fails as if a library were missing
    arrives = f"{shutil.which('cp')} {works} {bare / 'node'}"
    program(bare, "apt-get", f'echo "$@" >> {log}; case "$*" in *install*) {arrives};; esac')
    done = have_a_browser(bare, CHROMIUM=str(mine))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "Installing Debian's libatomic1 for the browser tests (a minute, once)"
    ]
    assert log.read_text().splitlines()[1].endswith("--no-install-recommends libatomic1")


def test_a_library_that_cannot_be_installed_is_named_in_one_line(tmp_path):
    mine = program(tmp_path, "mine")
    program(tmp_path, "node", "exit 127")
    done = have_a_browser(tmp_path, CHROMIUM=str(mine))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{NO_NODE} package libatomic1.\n"


def test_playwrights_own_program_is_looked_at(monkeypatch):
    monkeypatch.delenv("PLAYWRIGHT_NODEJS_PATH", raising=False)
    assert finding._node().parent.name == "driver"
    monkeypatch.setattr(finding.importlib.util, "find_spec", lambda name: None)
    assert finding.driver_runs()  # true, because Playwright is not installed


@on_linux
def test_a_failure_to_install_is_one_line_and_no_failure(bare):
    program(bare, "apt-get", "echo 'E: Unable to fetch some archives' >&2; exit 100")
    done = have_a_browser(bare)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == 2
    assert done.stdout.splitlines()[1].startswith(SKIPPED)


def test_where_nothing_can_be_installed_it_says_so(tmp_path):
    done = have_a_browser(tmp_path)
    if finding.find_browser() in finding.NAMES:
        pytest.skip("the browser of this machine is found without a PATH")
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == 1
    assert done.stdout.startswith(SKIPPED)
