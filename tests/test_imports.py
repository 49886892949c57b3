"""Tests of which modules each part of laconic may import, based on the source code."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import laconic
import laconic.io

ROOT = Path(laconic.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))


def module_name(path):
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def tree_of(path):
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imported(path):
    """Return all imports of a file, including those inside functions, as "module:name"."""
    module = module_name(path)
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    found = set()
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            found |= {f"{alias.name}:" for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, *([node.module] if node.module else [])])
            found |= {f"{base}:{alias.name}" for alias in node.names}
    return frozenset(found)


def within(name, *packages):
    """Return whether an import names one of these packages or something inside one of them."""
    module, _, thing = name.partition(":")
    full = [module, f"{module}.{thing}"]
    return any(
        one == package or one.startswith(f"{package}.") for one in full for package in packages
    )


def files_of(*packages):
    return [path for path in FILES if within(f"{module_name(path)}:", *packages)]


def offenders(paths, forbidden):
    return {
        str(path.relative_to(ROOT)): sorted(bad)
        for path in paths
        if (bad := {name for name in imported(path) if forbidden(name)})
    }


def test_the_reader_of_imports_reads(tmp_path):
    assert "numpy:" in imported(ROOT / "corpus" / "corpus.py")
    inside_a_function = "laconic.plots.style:styled"
    assert inside_a_function in imported(ROOT / "plots" / "files.py")
    assert within("laconic.models:MODELS", "laconic.models")
    assert within("laconic:models", "laconic.models")
    assert not within("laconic.modelling:x", "laconic.models")
    assert len(FILES) > 30


def test_kernels_know_only_numba_and_numpy():
    allowed = ("numpy", "numba", "laconic.kernels", "__future__", "typing")
    # these modules say how kernels are compiled; they are not kernels
    how = files_of(*(f"laconic.kernels.{name}" for name in ("compile", "cache", "vectors")))
    assert len(how) == 3
    what = [path for path in files_of("laconic.kernels") if path not in how]
    assert offenders(what, lambda name: not within(name, *allowed)) == {}
    allowed += ("llvmlite", *sys.stdlib_module_names)
    assert offenders(how, lambda name: not within(name, *allowed)) == {}


def test_models_reach_engines_only_by_their_contract():
    concrete = ("laconic.engines.threads", "laconic.engines.dask", "dask", "distributed")
    shared = ("blocks", "scratch", "callbacks", "malloc", "products", "stats", "tree")
    helpers = [f"laconic.engines.{name}" for name in shared]
    models = files_of("laconic.models")
    assert len(models) > 5
    assert offenders(models, lambda name: within(name, *concrete)) == {}
    named = {
        name.partition(":")[2]
        for path in models
        for name in imported(path)
        if within(name, "laconic.engines") and not within(name, *helpers)
    }
    allowed = {"Engine", "make_engine", "Step", "several_blas_threads", "single_blas_thread"}
    assert named <= allowed


def test_engines_know_neither_models_nor_words():
    allowed = (
        "laconic.engines",
        "laconic.corpus.chunks",
        "laconic.errors",
        "laconic.files.scratch_folder",
        "laconic.kernels.projection",
    )
    assert (
        offenders(
            files_of("laconic.engines"),
            lambda name: within(name, "laconic") and not within(name, *allowed),
        )
        == {}
    )


def test_command_line_uses_public_names_only():
    public = {f"laconic:{name}" for name in [*laconic.__all__, "__version__"]}
    # the same names, imported from the modules that define them
    public |= {f"{home}:{name}" for name, home in laconic._HOMES.items()}
    public |= {f"laconic.io:{name}" for name in laconic.io.__all__}
    public |= {"laconic:", "laconic:io", "laconic.text.stop_words:language_name"}
    public |= {"laconic.fitted.nouns:nouns_of", "laconic.text.defaults:EVERY_WORD"}
    public |= {"laconic.fitted.documents:code_parts", "laconic.keyphrases.keywords:keyword_parts"}
    public |= {"laconic.keyphrases.keywords:KeywordPart"}  # only for type hints
    public |= {"laconic.editing.preview:preview", "laconic.editing.preview:Preview"}
    public |= {"laconic.models:MODELS", "laconic.engines:ENGINES"}  # public registries
    helpers = (
        *("laconic.cli", "laconic.files", "laconic.errors", "laconic.extras", "laconic.progress"),
        *("laconic.wording", "laconic.datasets", "laconic.metrics", "laconic.plots"),
        *("laconic.evaluation", "laconic.tables", "laconic.web"),
        *("laconic.io.write", "laconic.keyphrases.html", "laconic.saving", "laconic.text.passages"),
    )

    def private(name):
        if not within(name, "laconic") or within(name, *helpers):
            return False
        return name not in public

    commands = files_of("laconic.cli")
    assert len(commands) > 3
    assert offenders(commands, private) == {}
    # a command must not use attributes such as laconic.models.x after "import laconic"
    for path in commands:
        if "laconic:" not in imported(path):
            continue
        for node in ast.walk(tree_of(path)):
            if (
                isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name)
                and node.value.id == "laconic"
            ):
                assert node.attr in [*laconic.__all__, "__version__"], f"{path}: {node.attr}"


def test_the_explorer_uses_nothing_private():
    pages = files_of("laconic.web")
    assert len(pages) > 10

    def private(name):
        ours = within(name, "laconic") and not within(name, "laconic.web")
        thing = name.partition(":")[2]
        return ours and thing.startswith("_") and not thing.startswith("__")

    assert offenders(pages, private) == {}


def test_nothing_is_imported_before_it_is_needed():
    """Check three imports:

    The command line imports no numeric library, the writers of chart files do not import
    scikit-learn, and a fit does not import Dask.
    """
    heavy = ["numpy", "scipy", "numba", "sklearn", "polars", "dask", "distributed", "pandas"]
    code = (
        "import sys, laconic, laconic.errors, laconic.cli.main\n"
        f"print('light:', *sorted(set({heavy}) & set(sys.modules)))\n"
        "import laconic.plots.files\n"
        "print('files:', *sorted({'sklearn'} & set(sys.modules)))\n"
        "import numpy\n"
        "laconic.SparseLSA(1).fit(numpy.eye(3))\n"
        "print('fitted:', *sorted({'dask', 'distributed'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.stdout.splitlines() == ["light:", "files:", "fitted:"], done.stderr


def test_no_printing_and_no_loose_ends():
    for path in FILES:
        source = path.read_text(encoding="utf-8")
        for word in ("TODO", "FIXME", "NotImplementedError"):
            assert word not in source, f"{path}: {word}"
        if "cli" not in path.parts:
            calls = [
                node
                for node in ast.walk(tree_of(path))
                if isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id == "print"
            ]
            assert not calls, f"{path} prints"
