"""Is everything installed that the explorer needs beside laconic itself?"""

from __future__ import annotations

from importlib.util import find_spec

from laconic.errors import LaconicError

PACKAGES = {
    "starlette": "Starlette",
    "uvicorn": "uvicorn",
    "altair": "Altair",
    "vl_convert": "vl-convert",
}


def require_web() -> None:
    """Complain unless what the extra ``web`` brings is there."""
    missing = [name for module, name in PACKAGES.items() if find_spec(module) is None]
    if missing:
        raise LaconicError(
            f"the explorer needs {', '.join(missing)}; install with: pip install 'laconic[web]'"
        )
