"""Check and import the packages of the extra ``web``, which charts and the explorer need."""

from __future__ import annotations

import importlib
from importlib.util import find_spec
from typing import Any

from laconic.errors import LaconicError

PACKAGES = {
    "starlette": "Starlette",
    "uvicorn": "uvicorn",
    "altair": "Altair",
    "vl_convert": "vl-convert",
}


def require_web() -> None:
    """Raise if a package of the extra ``web`` is not installed."""
    missing = [name for module, name in PACKAGES.items() if find_spec(module) is None]
    if missing:
        raise LaconicError(
            f"the explorer needs {', '.join(missing)}; install with: pip install 'laconic[web]'"
        )


def require(name: str) -> Any:
    """Import a package of the extra ``web``; if it is missing, explain how to install it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise LaconicError(
            "charts need Altair and vl-convert; install them with: pip install 'laconic[web]'"
        ) from error
