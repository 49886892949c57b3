"""The file ``automatic.json`` in the folder of a saved model: computed facts about topics.

Like ``notes.json``, it may be written after the model was saved, so it is not in the manifest and
has its own checksum. The file contains::

    {"format": 1, "topics": {"4": {"name": "space shuttle", "stability": 0.91}}, "checksum": "…"}
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from laconic.errors import ModelFileError
from laconic.files.arrays import load_json
from laconic.files.atomic_file import replacing
from laconic.files.atomic_folder import hold
from laconic.files.leftovers import write_problem
from laconic.files.manifest import AUTOMATIC as FILE
from laconic.files.manifest import checksum_of_tree
from laconic.fitted.automatic import AutomaticFacts, facts_of
from laconic.fitted.notes import LONGEST_NAME

FORMAT = 1


def read_facts(folder: Path, n_topics: int) -> dict[int, AutomaticFacts]:
    """Read the facts in the folder of a model; raise if they are damaged or of another model."""
    if not os.path.lexists(folder / FILE):
        return {}
    file = load_json(folder, "automatic", newest=FORMAT)
    tree = file.get("topics")
    if not isinstance(tree, dict) or file.get("checksum") != checksum_of_tree(tree):
        raise _damaged(folder)
    facts = {}
    for key, value in tree.items():
        is_number = key.isascii() and key.isdecimal() and len(key) < 10
        if not is_number or int(key) >= n_topics or not _fits(value):
            raise _damaged(folder)
        facts[int(key)] = AutomaticFacts(value["name"], value["stability"])
    return facts


def _fits(value: Any) -> bool:
    if not isinstance(value, dict) or value.keys() != {"name", "stability"}:
        return False
    name, stability = value["name"], value["stability"]
    is_name = name is None or (isinstance(name, str) and 0 < len(name) <= LONGEST_NAME)
    is_share = stability is None or (
        isinstance(stability, float) and math.isfinite(stability) and 0 <= stability <= 1
    )
    return is_name and is_share


def _damaged(folder: Path) -> ModelFileError:
    return ModelFileError(
        folder / FILE, "is damaged; delete it, and compute names and stability again"
    )


def write_facts(folder: Path, facts: Mapping[int, AutomaticFacts]) -> None:
    """Replace the facts in the folder of a model atomically."""
    topics = {str(topic): asdict(fact) for topic, fact in sorted(facts.items())}
    tree = {"format": FORMAT, "topics": topics, "checksum": checksum_of_tree(topics)}
    try:
        with replacing(folder / FILE, "json") as file:
            file.write(json.dumps(tree, indent=2, ensure_ascii=False).encode())
    except OSError as error:
        raise ModelFileError(folder / FILE, write_problem(error)) from error


def save_facts(model: Any, folder: Path) -> None:
    """Save the facts of a loaded model in its folder, which no other program may change then."""
    with hold(folder):
        write_facts(folder, facts_of(model))
