"""Run the command ``laconic`` with ``python -m laconic``."""

from __future__ import annotations

from laconic.cli.main import main

if __name__ == "__main__":
    main()
