"""Run the ``laconic`` command with ``python -m laconic``."""

from __future__ import annotations

from laconic.cli.main import main

if __name__ == "__main__":
    main()
