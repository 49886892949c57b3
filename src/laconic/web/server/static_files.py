"""Static files of the explorer, and the Vega bundle of vl-convert."""

from __future__ import annotations

import logging
import re
import subprocess
import sys
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from threading import Lock, Thread

from laconic.errors import LaconicError
from laconic.identity import NAME, style_sheet
from laconic.web.server.responses import CachedResponse, make_response

logger = logging.getLogger(__name__)

FOLDER = Path(__file__).resolve().parents[1] / "static"
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
}
# valid part of a path; matches neither ".." nor the names of hidden files
PART = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
LONGEST = 200  # maximum number of characters of a path


class Files:
    """Responses with the files of a folder; a file is cached until it changes.

    The shared style sheet (`laconic.identity`) is served as a file of this folder, too.

    Parameters
    ----------
    folder : Path
        The folder. Files outside it are never served, not even through symbolic links.
    """

    def __init__(self, folder: Path = FOLDER) -> None:
        self.folder = folder.resolve()
        self._cached: dict[str, tuple[tuple[int, int], CachedResponse]] = {}

    def get(self, name: str) -> CachedResponse | None:
        """Return the file at a path relative to the folder, or None if it does not exist."""
        if name == NAME:
            return self._identity
        path = self._path(name)
        if path is None:
            return None
        status = path.stat()
        version = (status.st_mtime_ns, status.st_size)
        cached = self._cached.get(name)
        if cached is None or cached[0] != version:
            cached = version, make_response(path.read_bytes(), TYPES[path.suffix])
            self._cached[name] = cached
        return cached[1]

    @cached_property
    def _identity(self) -> CachedResponse:
        return make_response(style_sheet().encode(), TYPES[".css"])

    def _path(self, name: str) -> Path | None:
        is_valid = len(name) <= LONGEST and all(map(PART.fullmatch, name.split("/")))
        path = self.folder / name
        if not is_valid or path.suffix not in TYPES or path.resolve() != path or not path.is_file():
            return None
        return path


class VegaBundle:
    """The JavaScript bundle of Vega, Vega-Lite and vega-embed.

    Building the bundle blocks Python for two seconds, so `start` builds it in another process.
    """

    CODE = "import sys, vl_convert as v; sys.stdout.buffer.write(v.javascript_bundle().encode())"

    def __init__(self) -> None:
        self._cached: CachedResponse | None = None
        self._lock = Lock()
        self._started = False

    def start(self) -> None:
        """Start to build the bundle in the background, unless this has already been done."""
        if not self._started:
            self._started = True
            Thread(target=self._prepare, name="laconic-vega", daemon=True).start()

    def get(self) -> CachedResponse:
        """Return the bundle; if it is not finished yet, wait for it."""
        with self._lock:
            if self._cached is None:
                script = self._build_in_subprocess()
                if script is None:
                    from laconic.extras import require

                    script = str(require("vl_convert").javascript_bundle()).encode()
                self._cached = make_response(script, TYPES[".js"])
            return self._cached

    def _prepare(self) -> None:
        with suppress(LaconicError):  # a later request for the bundle reports the error
            self.get()

    def _build_in_subprocess(self) -> bytes | None:
        """Build the bundle in another process; return None if that fails."""
        # the option -P prevents imports from the working directory
        command = [sys.executable, "-P", "-c", self.CODE]
        try:
            completed = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                start_new_session=True,  # otherwise Ctrl-C would also interrupt this process
                check=True,
            )
        except (OSError, subprocess.SubprocessError) as error:
            logger.debug("building the Vega bundle in a separate process failed: %s", error)
            return None
        return completed.stdout


PROGRAM = VegaBundle()  # shared by all servers of this process
