"""Find or install Chromium and the Node.js library that Playwright needs.

The browser tests and the screenshots of the README use them. ``python tests/browser/finding.py``
installs missing Debian packages if it has permission. It never fails, because everything except
the browser tests also works without a browser.
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

# The browser must not look up, update or send anything. As root (on CI), it cannot use a sandbox.
FLAGS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
]

SECONDS = 240  # timeout of a command, such as an installation
PATIENCE = ["-o", "Acquire::http::Timeout=15", "-o", "Acquire::Retries=1"]
APT_GET = ["apt-get", "-qq", *PATIENCE, "-o", "DPkg::Lock::Timeout=60"]
BROWSER = "chromium"
FOR_NODE = "libatomic1"  # Playwright's Node.js needs this library, which minimal Debian lacks


def find_browser() -> str | None:
    """Return the path of the browser in CHROMIUM or, if it is not set, of an installed browser."""
    wanted = os.environ.get("CHROMIUM")
    if not wanted:
        return next(filter(None, map(shutil.which, NAMES)), None)
    found = shutil.which(wanted)
    if found is None:
        raise SystemExit(f"CHROMIUM names {wanted}, which is no program; {WAYS}.")
    return found


def driver_runs() -> bool:
    """Return whether Playwright's Node.js runs; also true if Playwright is not installed yet."""
    node = _node()
    return node is None or _ends_well([str(node), "--version"])


def _node() -> Path | None:
    """Return the path of Playwright's Node.js, without importing Playwright."""
    named = os.environ.get("PLAYWRIGHT_NODEJS_PATH")
    if named:
        return Path(named)
    spec = importlib.util.find_spec("playwright")
    if spec is None or spec.origin is None:
        return None
    driver = Path(spec.origin).parent / "driver"
    return next((path for path in (driver / "node", driver / "node.exe") if path.exists()), None)


def missing_packages() -> list[str]:
    """Return the Debian packages that must be installed."""
    if find_browser() is None:
        return [BROWSER, FOR_NODE]  # both, because Playwright may be installed later
    return [] if driver_runs() else [FOR_NODE]


def install(packages: list[str]) -> bool:
    """Install Debian packages; return False if that fails or is impossible without a prompt."""
    root = _as_root()
    if root is None or shutil.which("apt-get") is None:
        return False
    _say(f"Installing Debian's {' and '.join(packages)} for the browser tests (a minute, once)")
    quiet = [*root, "env", "DEBIAN_FRONTEND=noninteractive", *APT_GET]
    _ends_well([*quiet, "update"])  # if it fails, the existing package lists may be enough
    return _ends_well([*quiet, "install", "-y", "--no-install-recommends", *packages])


def _as_root() -> list[str] | None:
    """Return the prefix that runs a command as root, or None if that is impossible."""
    if sys.platform != "linux":
        return None
    if os.geteuid() == 0:
        return []
    sudo = ["sudo", "-n"]
    return sudo if shutil.which("sudo") and _ends_well([*sudo, "true"]) else None


def _ends_well(command: list[str]) -> bool:
    """Run a command without input and output; return whether it succeeds within SECONDS."""
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
    """Install what is missing; if something is still missing, print one line that says so."""
    packages = missing_packages()
    if packages:
        install(packages)
    missing = [] if find_browser() else [WAYS]
    missing += [] if driver_runs() else [DRIVER_WAYS]
    if missing:
        _say(f"The browser tests will be skipped: {'; and '.join(missing)}.")


if __name__ == "__main__":
    main()
