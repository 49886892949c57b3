"""What people say of topics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from laconic.errors import LaconicError
from laconic.saving.notes import as_tree
from laconic.web.material import Material
from laconic.web.views.common import check_topic


def set_note(material: Material, topic: int, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Change the name of a topic, whether it is hidden, or its note."""
    check_topic(material, topic)
    if not material.write:
        raise LaconicError("This page is read-only; start it with --write to change names.")
    return {"topic": topic, **asdict(material.set_note(topic, changes))}


def all_notes(material: Material) -> dict[str, Any]:
    """The notes as they lie beside the model."""
    return as_tree(material.notes)
