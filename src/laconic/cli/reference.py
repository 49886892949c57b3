"""Print the command reference: ``python -m laconic.cli.reference > docs/reference/commands.md``."""

from __future__ import annotations

import click

from laconic.cli.main import COMMANDS, laconic
from laconic.cli.options import HELP_ALL

WIDTH = 88
HEAD = """\
# Commands

<!-- Generated from the help of the commands by: make docs -->

Results are written to standard output, and messages to standard error. The exit status is 0 on
success, 1 if an input is invalid or an output cannot be written, 2 if the command line is invalid,
and 130 after Ctrl-C. For exit status 1, a message gives the reason, and `--debug` or the
environment variable `LACONIC_DEBUG=1` shows the traceback. `python -m laconic` is the same as
`laconic`. Terms are defined in the [glossary](../glossary.md).
"""


def reference() -> str:
    """Return the help of all commands as Markdown."""
    top = laconic.make_context("laconic", [], resilient_parsing=True, terminal_width=WIDTH)
    sections = [HEAD, _help(laconic, top)]
    for name in COMMANDS:
        command = laconic.get_command(top, name)
        assert command is not None
        context = command.make_context(name, [], parent=top, resilient_parsing=True)
        context.meta[HELP_ALL] = True
        sections.append(f"## laconic {name}\n\n{_help(command, context)}")
    return "\n".join(sections)


def _help(command: click.Command, context: click.Context) -> str:
    lines = "\n".join(line.rstrip() for line in command.get_help(context).splitlines())
    return f"```text\n{lines}\n```\n"


if __name__ == "__main__":
    click.echo(reference(), nl=False)
