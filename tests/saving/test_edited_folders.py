"""A sample of the campaigns on files: flipped bits are detected, edited folders are safe to use."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from benchmarks.reliability.edits import edit, forge_manifest
from benchmarks.reliability.folders import make_corpus, write_folders
from benchmarks.reliability.use_folders import use
from laconic.corpus.corpus import Corpus
from laconic.saving.verify import check_folder

NAMES = ["pipeline of plsa", "slsa with groups", "sctm, correlated", "store"]
EDITS = 12


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return write_folders(tmp_path_factory.mktemp("folders"), NAMES)


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return make_corpus()


@pytest.mark.parametrize("name", NAMES)
def test_a_flipped_bit_of_any_file_is_detected(name: str, folders: dict[str, Path]) -> None:
    draw = random.Random(1)
    assert check_folder(folders[name])[1] == []
    for path in sorted(folders[name].iterdir()):
        original = path.read_bytes()
        data = bytearray(original)
        place = draw.choice([i for i, byte in enumerate(data) if byte not in b" \n"])
        data[place] ^= 1 << draw.randrange(8)
        path.write_bytes(data)
        assert check_folder(folders[name])[1], path.name
        path.write_bytes(original)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES)
def test_edited_folders_are_refused_or_can_be_used(
    name: str, folders: dict[str, Path], corpus: Corpus, tmp_path: Path
) -> None:
    draw = random.Random(NAMES.index(name))
    for _ in range(EDITS):
        copy = tmp_path / "edited"
        shutil.copytree(folders[name], copy)
        what = edit(copy, draw), forge_manifest(copy, draw)
        outcome, message, _ = use(copy, corpus)
        assert outcome in ("refused on load", "used"), (what, message)
        shutil.rmtree(copy)
