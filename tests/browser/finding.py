"""The Chromium that the browser tests and the pictures of the README use.

``python tests/browser/finding.py`` installs Debian's where there is none yet and it may; it never
fails, as everything but the browser tests runs without one.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

NAMES = (
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"),
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
WAYS = "install Debian's package chromium, or name a Chromium or Chrome by CHROMIUM=/path/to/it"
NO_BROWSER = f"no Chromium here, so nothing was tested in a browser; {WAYS}"

# Nothing is looked up, updated or sent anywhere. Root, as on CI, can have no sandbox.
FLAGS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
]

SECONDS = 240  # after that an installation is given up
PATIENCE = ["-o", "Acquire::http::Timeout=15", "-o", "Acquire::Retries=1"]
APT_GET = ["apt-get", "-qq", *PATIENCE, "-o", "DPkg::Lock::Timeout=60"]


def find_browser() -> str | None:
    """Path of the browser: the one that CHROMIUM names, or the first that is installed."""
    wanted = os.environ.get("CHROMIUM")
    if not wanted:
        return next(filter(None, map(shutil.which, NAMES)), None)
    found = shutil.which(wanted)
    if found is None:
        raise SystemExit(f"CHROMIUM names {wanted}, which is no program; {WAYS}.")
    return found


def install_browser() -> bool:
    """Install Debian's Chromium; False where that cannot be done without asking anyone."""
    root = _as_root()
    if root is None or shutil.which("apt-get") is None:
        return False
    _say("Installing Debian's chromium for the browser tests (a minute, once)")
    quiet = [*root, "env", "DEBIAN_FRONTEND=noninteractive", *APT_GET]
    _ends_well([*quiet, "update"])  # where it fails, the lists that are there may do
    return _ends_well([*quiet, "install", "-y", "--no-install-recommends", "chromium"])


def _as_root() -> list[str] | None:
    """What to put before a command that only root may run; None if there is nothing."""
    if sys.platform != "linux":
        return None
    if os.geteuid() == 0:
        return []
    sudo = ["sudo", "-n"]
    return sudo if shutil.which("sudo") and _ends_well([*sudo, "true"]) else None


def _ends_well(command: list[str]) -> bool:
    """Whether a command that nobody watches and nobody answers ends with success in time."""
    nobody = subprocess.DEVNULL
    try:
        done = subprocess.run(
            command, check=False, timeout=SECONDS, stdin=nobody, stdout=nobody, stderr=nobody
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> None:
    """Have a browser, or say in one line that there is none."""
    if find_browser() is None and not (install_browser() and find_browser()):
        _say(f"The browser tests will be skipped: {WAYS}.")


if __name__ == "__main__":
    main()
