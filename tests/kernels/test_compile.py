"""Tests of the first use of a kernel: where the compiled code is cached, and what is logged."""

from __future__ import annotations

import importlib.util
import json
import logging
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numba import config, njit
from numba.core import event

import laconic
from laconic.kernels import cache, compile, tokens
from tests.cli.running import (
    documents,
    environment,
    in_process,
    on_a_real_terminal,
    on_a_terminal,
)

ROOT = Path(laconic.__file__).parent
JIT = os.environ.get("NUMBA_DISABLE_JIT") != "1"
needs_jit = pytest.mark.skipif(not JIT, reason="kernels are plain Python here")
needs_users = pytest.mark.skipif(not hasattr(os, "getuid"), reason="folders have no owner here")

USE_ONE = """
import numpy as np
from laconic.kernels.stc_words import solve_word as kernel

word = np.array([0.5, 0.25])
assert abs(kernel(2.0, word, np.zeros(2), 0.5, 0.1, False) - 1.73) < 0.01
print(type(kernel._cache).__name__, kernel._cache.cache_path)
"""


@pytest.fixture
def installed(tmp_path):
    """Return a folder with a copy of the kernels, where not even root can write a cache."""
    package = tmp_path / "site" / "laconic"
    package.mkdir(parents=True)
    shutil.copy(ROOT / "__init__.py", package)
    shutil.copytree(ROOT / "kernels", package / "kernels", ignore=lambda *_: ["__pycache__"])
    (package / "kernels" / "__pycache__").write_text("no folder")
    (tmp_path / "file").write_text("no folder")
    (tmp_path / "tmp").mkdir(mode=0o700)
    return tmp_path


def without_home(place):
    nowhere = str(place / "file" / "home")
    return {"HOME": nowhere, "XDG_CACHE_HOME": nowhere}


def use(place, kept="", then=None, **variables):
    """Load and use a kernel of the copy; return its cache, the cache folder and the cache hits.

    `kept` is the value of ``NUMBA_CACHE_DIR``, and `then` is called between loading and use.
    """
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {**without_home(place), **variables}.items():
            patch.setenv(name, str(value))
        patch.setattr(config, "CACHE_DIR", str(kept))
        patch.setattr(cache.tempfile, "gettempdir", lambda: str(place / "tmp"))
        source = place / "site" / "laconic" / "kernels" / "stc_words.py"
        spec = importlib.util.spec_from_file_location("installed_stc_words", source)
        module = importlib.util.module_from_spec(spec)
        patch.setitem(sys.modules, spec.name, module)
        spec.loader.exec_module(module)
        if then is not None:
            then()
        kernel = module.solve_word
        word = np.array([0.5, 0.25])
        assert abs(kernel(2.0, word, np.zeros(2), 0.5, 0.1, False) - 1.73) < 0.01
        kind = type(kernel._cache).__name__
        return kind, kernel._cache.cache_path, sum(kernel.stats.cache_hits.values())


@needs_jit
def test_a_read_only_install_keeps_kernels_in_the_cache_of_the_user(installed):
    home = installed / "home"
    home.mkdir()
    more = {"HOME": home, "XDG_CACHE_HOME": home / ".cache"}
    kind, path, hits = use(installed, **more)
    assert kind == "KernelCache"
    assert path.startswith(str(home))
    assert hits == 0
    assert use(installed, **more)[2] == 1


@needs_jit
@needs_users
def test_without_a_home_kernels_are_kept_in_a_closed_folder_of_the_user(installed):
    kind, path, hits = use(installed)
    folder = installed / "tmp" / f"laconic-kernels-{os.getuid()}"
    assert kind == "KernelCache"
    assert Path(path).parent == folder
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert hits == 0
    assert use(installed)[2] == 1


@needs_jit
@needs_users
def test_a_process_that_can_write_nowhere_runs(installed):
    folder = installed / "tmp" / f"laconic-kernels-{os.getuid()}"
    folder.mkdir()
    folder.chmod(0o777)  # other users can write to this folder, so it is not trusted
    done = subprocess.run(
        [sys.executable, "-c", USE_ONE],
        env={
            **environment(NUMBA_CACHE_DIR="", TMPDIR=str(installed / "tmp")),
            **without_home(installed),
            "PYTHONPATH": str(installed / "site"),
        },
        cwd=installed,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["NullCache", "None"]
    assert list(folder.iterdir()) == []


@needs_users
def test_which_temporary_folders_are_ours(tmp_path, monkeypatch):
    monkeypatch.setattr(cache.tempfile, "gettempdir", lambda: str(tmp_path))
    expected = tmp_path / f"laconic-kernels-{os.getuid()}"
    assert cache.own_temporary_folder() == str(expected)
    assert cache.own_temporary_folder() == str(expected)  # the second call finds an existing folder
    tmp_path.chmod(0o777)  # other users could replace the folder
    assert cache.own_temporary_folder() is None
    tmp_path.chmod(0o1777)
    assert cache.own_temporary_folder() == str(expected)
    expected.chmod(0o750)
    assert cache.own_temporary_folder() is None
    expected.rmdir()
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    expected.symlink_to(tmp_path / "elsewhere")
    assert cache.own_temporary_folder() is None
    monkeypatch.setattr(cache.tempfile, "gettempdir", lambda: str(tmp_path / "none"))
    assert cache.own_temporary_folder() is None


@needs_jit
@pytest.mark.parametrize(("suffix", "left"), [(".nbi", 0), (".nbc", 40)])
def test_a_file_that_was_cut_short_is_compiled_again(installed, suffix, left):
    folder = installed / "kept"
    use(installed, folder)
    (file,) = folder.rglob(f"*solve_word*{suffix}")
    file.write_bytes(file.read_bytes()[:left])
    assert use(installed, folder)[2] == 0
    assert use(installed, folder)[2] == 1


@needs_jit
@pytest.mark.parametrize("is_replaced", [False, True])
def test_a_folder_that_goes_away_costs_nothing_but_the_cache(installed, is_replaced):
    folder = installed / "kept"

    def lose():
        shutil.rmtree(folder)
        if is_replaced:
            folder.write_text("a file in its place")

    assert use(installed, folder, lose)[2] == 0


@needs_jit
@pytest.mark.parametrize("decorate", [compile.kernel, compile.lane_kernel])
def test_kernels_that_reorder_sums_are_inlined(decorate):
    """Otherwise compiled and cached kernels would differ in the last bits."""
    options = decorate(lambda x: x).targetoptions
    assert bool(options.get("forceinline")) == bool(options.get("fastmath"))


@pytest.fixture
def fresh():
    """Yield a kernel that is not compiled yet, with a listener that has logged nothing."""
    listener = first_use()
    before = listener.logged
    listener.logged = False
    kernel = compile.compiled()(halve)
    kernel._cache = cache.NullCache()
    yield kernel
    listener.logged = before


def first_use():
    """Return the listener that logs the first time that a kernel is compiled."""
    listeners = event._registered["numba:compile"]
    (listener,) = [one for one in listeners if isinstance(one, compile.FirstUse)]
    return listener


def halve(x):
    return 0.5 * x


halve.__module__ = "laconic.kernels.halve"


@needs_jit
def test_library_users_are_told_once(fresh, caplog):
    with caplog.at_level(logging.INFO, logger="laconic.kernels"):
        assert njit(lambda x: x)(1) == 1  # not a kernel of laconic
        assert caplog.messages == []
        fresh(1.0)
        assert len(caplog.messages) == 1
        assert "compiling kernels" in caplog.text
        fresh(np.float32(1))
        fresh(1.0)
    assert len(caplog.messages) == 1


@pytest.fixture
def command(tmp_path):
    """Return a command that counts the words of a few documents."""
    file = tmp_path / "documents.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in documents(6)))
    return ["info", str(file), "--text", "body"]


TOLD = "laconic: compiling kernels for this machine"


@needs_jit
def test_the_command_line_tells_it_once(command, tmp_path):
    """Two small kernels are compiled; the others are taken from the cache of the tests."""
    variables = {"NUMBA_CACHE_DIR": str(tmp_path / "kept")}
    kept = tmp_path / "kept" / cache.InTreeLocator.get_suitable_cache_subpath(tokens.__file__)
    kept.mkdir(parents=True)
    for compiled in Path(tokens.prefixes._cache.cache_path).glob("tokens.*.nb[ic]"):
        shutil.copy2(compiled, kept)
    forget("prefixes", "make_slots", folder=kept)
    assert on_a_real_terminal(*command, **variables).count(TOLD) == 1
    assert TOLD not in on_a_real_terminal(*command, **variables)
    assert forget("prefixes", "make_slots", folder=kept) == 4  # they were compiled


@needs_jit
def test_the_command_line_tells_it_on_terminals_only(command, fresh, monkeypatch):
    prefixes, given = tokens.prefixes, iter([1.0, np.float32(1)])  # it is compiled for each type

    def compile_and_run(*arguments):
        fresh(next(given))
        return prefixes(*arguments)

    monkeypatch.setattr(tokens, "prefixes", compile_and_run)
    piped = in_process(*command)
    assert piped.exit_code == 0
    assert len(fresh.signatures) == 1
    assert "compiling" not in piped.stdout + piped.stderr
    first_use().logged = False
    assert on_a_terminal(*command).count(TOLD) == 1
    assert len(fresh.signatures) == 2


def forget(*names, folder):
    """Delete the compiled code of kernels from a cache folder; return the number of files."""
    files = [file for name in names for file in folder.glob(f"tokens.{name}-*.nb[ic]")]
    for file in files:
        file.unlink()
    return len(files)


def test_a_change_of_any_kernel_compiles_all_kernels_again(tmp_path):
    file = tmp_path / "ball.py"
    file.write_text("x = 1\n", encoding="utf-8")
    digests = {cache.digest_of_sources.__wrapped__(tmp_path)}
    file.write_text("x = 2\n", encoding="utf-8")  # as long as before, as in two versions of a wheel
    digests.add(cache.digest_of_sources.__wrapped__(tmp_path))
    (tmp_path / "other.py").touch()
    digests.add(cache.digest_of_sources.__wrapped__(tmp_path))
    assert len(digests) == 3


@needs_jit
def test_a_kernel_is_compiled_again_if_another_one_has_changed(installed, monkeypatch):
    assert use(installed)[2] == 0
    assert use(installed)[2] == 1
    monkeypatch.setattr(cache, "digest_of_sources", lambda: "another version")
    assert use(installed)[2] == 0
