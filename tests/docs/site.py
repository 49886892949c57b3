"""Read built HTML pages, and find links that lead nowhere or to another host."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# Elements whose address a browser loads by itself; links that a reader clicks may be remote.
LOADED = {"audio", "embed", "iframe", "img", "link", "object", "script", "source", "video"}
NOT_LOADED = {"author", "canonical", "help", "index", "license", "next", "prev", "search"}


@dataclass
class Page(HTMLParser):
    """Addresses and ids of one HTML page."""

    path: Path
    links: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attributes}
        self.ids.update(values[name] for name in ("id", "name") if name in values)
        for name in ("href", "src", "data", "poster"):
            if address := values.get(name):
                self.links.append(address)
                if tag in LOADED and values.get("rel") not in NOT_LOADED:
                    self.loaded.append(address)
        self.loaded += re.findall(r"url\(['\"]?([^'\")]+)", values.get("style", ""))


@cache
def page(path: Path) -> Page:
    """Return the page at a path."""
    return Page(path)


def is_remote(address: str) -> bool:
    """Return whether an address is on another host."""
    parts = urlsplit(address)
    return bool(parts.netloc) or parts.scheme in ("http", "https")


def dead_links(path: Path) -> list[str]:
    """Return the local addresses on a page whose file or fragment does not exist."""
    dead = []
    for address in page(path).links:
        parts = urlsplit(address)
        if parts.scheme or parts.netloc:
            continue
        target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        exists = target.is_file()
        if exists and parts.fragment and target.suffix == ".html":
            exists = unquote(parts.fragment) in page(target).ids
        if not exists:
            dead.append(address)
    return dead


def remote_files(path: Path) -> list[str]:
    """Return the addresses of scripts, styles, fonts and images on other hosts."""
    if path.suffix == ".css":
        style = path.read_text(encoding="utf-8")
        addresses = re.findall(r"(?:url\(|@import)\s*['\"]?([^'\")\s;]+)", style)
    else:
        addresses = page(path).loaded
    return [address for address in addresses if is_remote(address)]
