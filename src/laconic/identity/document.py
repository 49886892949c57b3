"""HTML documents that are a single file: no external resources, and only their own script."""

from __future__ import annotations

import base64
import hashlib
from html import escape
from importlib.resources import files

from laconic.identity import style_sheet


def document(title: str, body: str, *, style: str = "", script: str = "") -> str:
    """Return an HTML document with the style sheet of laconic.

    Parameters
    ----------
    title : str
        Title of the document, which is escaped.
    body : str
        HTML of the body; the caller must escape texts.
    style : str, optional
        Additional CSS.
    script : str, optional
        The only script that the document may run.

    Examples
    --------
    >>> page = document("A & B", "<h1>A &amp; B</h1>")
    >>> "<title>A &amp; B</title>" in page, "script-src" in page
    (True, False)
    """
    return start_of(title, style=style, script=script) + body + end_of(script)


def start_of(title: str, *, style: str = "", script: str = "") -> str:
    """Return the part of a document before its body; see `document`."""
    policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    if script:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        policy += f"; script-src 'sha256-{digest}'"
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(title)}</title>\n"
        f"<style>{style_sheet()}\n{_file('document.css')}\n{style}</style></head>\n<body>\n"
    )


def end_of(script: str = "") -> str:
    """Return the part of a document after its body; see `document`."""
    return (f"\n<script>{script}</script>" if script else "") + "\n</body></html>\n"


def _file(name: str) -> str:
    return files("laconic.identity").joinpath(name).read_text(encoding="utf-8")
