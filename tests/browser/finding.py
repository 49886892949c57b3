"""What the browser tests and the pictures of the README need: a Chromium, and Playwright's program.

``python tests/browser/finding.py`` installs Debian's packages where something is missing and it
may; it never fails, as everything but the browser tests runs without.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = (
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"),
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
WAYS = "install Debian's package chromium, or name a Chromium or Chrome by CHROMIUM=/path/to/it"
NO_BROWSER = f"no Chromium here, so nothing was tested in a browser; {WAYS}"
DRIVER_WAYS = "Playwright's node does not run here; install Debian's package libatomic1"
NO_DRIVER = f"nothing was tested in a browser: {DRIVER_WAYS}"

# Nothing is looked up, updated or sent anywhere. Root, as on CI, can have no sandbox.
FLAGS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
]

SECONDS = 240  # after that an installation is given up
PATIENCE = ["-o", "Acquire::http::Timeout=15", "-o", "Acquire::Retries=1"]
APT_GET = ["apt-get", "-qq", *PATIENCE, "-o", "DPkg::Lock::Timeout=60"]
BROWSER = "chromium"
FOR_NODE = "libatomic1"  # Playwright's node is linked to it, and a minimal Debian lacks it


def find_browser() -> str | None:
    """Path of the browser: the one that CHROMIUM names, or the first that is installed."""
    wanted = os.environ.get("CHROMIUM")
    if not wanted:
        return next(filter(None, map(shutil.which, NAMES)), None)
    found = shutil.which(wanted)
    if found is None:
        raise SystemExit(f"CHROMIUM names {wanted}, which is no program; {WAYS}.")
    return found


def driver_runs() -> bool:
    """Whether the program by which Playwright speaks to a browser runs, or is yet to come."""
    node = _node()
    return node is None or _ends_well([str(node), "--version"])


def _node() -> Path | None:
    """The node of Playwright, found without importing what may not be installed yet."""
    named = os.environ.get("PLAYWRIGHT_NODEJS_PATH")
    if named:
        return Path(named)
    spec = importlib.util.find_spec("playwright")
    if spec is None or spec.origin is None:
        return None
    driver = Path(spec.origin).parent / "driver"
    return next((path for path in (driver / "node", driver / "node.exe") if path.exists()), None)


def missing_packages() -> list[str]:
    """Debian's packages for what is not there."""
    if find_browser() is None:
        return [BROWSER, FOR_NODE]  # both, as Playwright may come later
    return [] if driver_runs() else [FOR_NODE]


def install(packages: list[str]) -> bool:
    """Install packages of Debian; False where that cannot be done without asking anyone."""
    root = _as_root()
    if root is None or shutil.which("apt-get") is None:
        return False
    _say(f"Installing Debian's {' and '.join(packages)} for the browser tests (a minute, once)")
    quiet = [*root, "env", "DEBIAN_FRONTEND=noninteractive", *APT_GET]
    _ends_well([*quiet, "update"])  # where it fails, the lists that are there may do
    return _ends_well([*quiet, "install", "-y", "--no-install-recommends", *packages])


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
    """Have all that is needed, or say in one line what is missing."""
    packages = missing_packages()
    if packages:
        install(packages)
    missing = [] if find_browser() else [WAYS]
    missing += [] if driver_runs() else [DRIVER_WAYS]
    if missing:
        _say(f"The browser tests will be skipped: {'; and '.join(missing)}.")


if __name__ == "__main__":
    main()
