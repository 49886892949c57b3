"""Tests of reading seeds from a file."""

from __future__ import annotations

import pytest

from laconic.io import read_seeds
from tests.messages import refused

TEXT = """\
# what we expect
space: nasa!, orbit, -car   # and so on

"ice hockey":
  - nhl
  - -baseball
- "puck"
medicine: [doctor, 'new york']
"""


def test_read_seeds(tmp_path):
    path = tmp_path / "seeds.yaml"
    path.write_text(TEXT, encoding="utf-8")
    assert read_seeds(path) == {
        "space": ["nasa!", "orbit", "-car"],
        "ice hockey": ["nhl", "-baseball", "puck"],
        "medicine": ["doctor", "new york"],
    }


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("space nasa orbit\n", ("line 1", "'space nasa orbit'")),
        ("- nasa\n", ("line 1", "'- nasa'")),
        ("space: nasa\n\nspace: orbit\n", ("line 3", "'space'")),
        ("space: nasa\n  orbit\n", ("line 2", "'orbit'")),
        ("# nothing\n", ("no seeds",)),
    ],
)
def test_invalid_files(tmp_path, text, parts):
    path = tmp_path / "seeds.txt"
    path.write_text(text, encoding="utf-8")
    with refused(*parts):
        read_seeds(path)
