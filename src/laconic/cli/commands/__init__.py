"""The subcommands of ``laconic``; each module defines one command."""
