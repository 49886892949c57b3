"""The page itself: its files, and the drawing program that comes with vl-convert."""

from __future__ import annotations

import logging
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from threading import Lock, Thread

from laconic.errors import LaconicError
from laconic.web.server.responses import Answer, make_answer

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
PART = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")  # no "..", no hidden file
LONGEST = 200


class Files:
    """The files of a folder, read when asked for and kept until they change.

    Parameters
    ----------
    folder : Path
        Nothing outside of it is given away, also not by way of a symbolic link.
    """

    def __init__(self, folder: Path = FOLDER) -> None:
        self.folder = folder.resolve()
        self._kept: dict[str, tuple[tuple[int, int], Answer]] = {}

    def get(self, name: str) -> Answer | None:
        """A file by its name, which may have folders in it; None if there is none."""
        path = self._path(name)
        if path is None:
            return None
        about = path.stat()
        stamp = (about.st_mtime_ns, about.st_size)
        kept = self._kept.get(name)
        if kept is None or kept[0] != stamp:
            kept = stamp, make_answer(path.read_bytes(), TYPES[path.suffix])
            self._kept[name] = kept
        return kept[1]

    def _path(self, name: str) -> Path | None:
        plain = len(name) <= LONGEST and all(map(PART.fullmatch, name.split("/")))
        path = self.folder / name
        if not plain or path.suffix not in TYPES or path.resolve() != path or not path.is_file():
            return None
        return path


class Program:
    """Vega, Vega-Lite and vega-embed as one script.

    Packing it takes two seconds in which Python can do nothing else, so another process does it,
    from `start` on.
    """

    CODE = "import sys, vl_convert as v; sys.stdout.buffer.write(v.javascript_bundle().encode())"

    def __init__(self) -> None:
        self._answer: Answer | None = None
        self._lock = Lock()
        self._begun = False

    def start(self) -> None:
        """Begin to make it, unless that was begun before."""
        if not self._begun:
            self._begun = True
            Thread(target=self._prepare, name="laconic-vega", daemon=True).start()

    def get(self) -> Answer:
        """The script; waits until it is made."""
        with self._lock:
            if self._answer is None:
                script = self._packed_elsewhere()
                if script is None:
                    from laconic.extras import require

                    script = str(require("vl_convert").javascript_bundle()).encode()
                self._answer = make_answer(script, TYPES[".js"])
            return self._answer

    def _prepare(self) -> None:
        with suppress(LaconicError):  # whoever asks for it gets the sentence
            self.get()

    def _packed_elsewhere(self) -> bytes | None:
        """The script as another process packs it; None where that does not work."""
        # -P: nothing of the folder that laconic was started in is imported
        command = [sys.executable, "-P", "-c", self.CODE]
        try:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                start_new_session=True,  # Ctrl-C is for the server alone
                check=True,
            )
        except (OSError, subprocess.SubprocessError) as error:
            logger.debug("the drawing program is packed in this process: %s", error)
            return None
        return done.stdout


PROGRAM = Program()  # the same for all servers of this process
