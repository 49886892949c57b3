"""The command ``laconic``: which subcommands there are, and how each of them may end.

=====  ===========================================================================
0      done
1      the input cannot be used, or the output not written: one sentence says why
2      the command line itself is wrong
130    interrupted by Ctrl-C; a fit has then saved the model as far as it got
141    whoever read the output went away, as ``head`` does
=====  ===========================================================================
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from laconic import __version__
from laconic.cli import messages
from laconic.cli.options import debug_option

FAILED = 1
INTERRUPTED = 130
BROKEN_PIPE = 141

# Here so that `laconic --help` need not import the commands; a test holds them equal.
COMMANDS = {
    "demo": "Fit the built-in corpus and show its topics.",
    "fit": "Fit a topic model to documents and save it.",
    "topics": "Show the topics of a saved model.",
    "senses": "Show the topics that a word has.",
    "similar": "Show the documents that are most like one.",
    "search": "Show the documents that fit a query.",
    "keywords": "Show the words that set each document apart.",
    "transform": "Write the topics of each document.",
    "classify": "Write the class of each document.",
    "evaluate": "Measure how good a saved model is on documents.",
    "compare": "Fit several models to documents and measure them all.",
    "tune": "Choose the number of topics and the sparsity of a model.",
    "explore": "Open a page on a saved model: topics, documents, words.",
    "report": "Write a saved model as one page to send or print.",
    "plot": "Draw a saved model as a picture.",
    "convert": "Write a corpus in another format.",
    "info": "Say what a corpus or a saved model holds.",
}


class Laconic(click.Group):
    """Imports a subcommand when it is asked for, and turns exceptions into sentences."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command: click.Command = getattr(
            importlib.import_module(f"laconic.cli.commands.{name}"), name
        )
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(name, COMMANDS, n=1)
            hint = f"Did you mean {near[0]}?" if near else f"There are {', '.join(COMMANDS)}."
            ctx.fail(f"There is no command '{name}'. {hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def invoke(self, ctx: click.Context) -> Any:
        with messages.on_stderr(), _first_use_told_on_terminals():
            try:
                result = super().invoke(ctx)
                sys.stdout.flush()  # a full disk or a broken pipe shows here, not at exit
                return result
            except (click.ClickException, click.exceptions.Exit, click.Abort):
                raise
            except KeyboardInterrupt:
                messages.say("interrupted; nothing was written")
                ctx.exit(INTERRUPTED)
            except BrokenPipeError:
                _discard_output()
                ctx.exit(BROKEN_PIPE)
            except Exception as error:
                if messages.debugging(ctx):
                    raise
                messages.report(error, self._options(ctx))
                if isinstance(error, OSError):
                    _discard_output()  # it may be what could not be written
                ctx.exit(FAILED)

    def _options(self, ctx: click.Context) -> dict[str, str]:
        """What the subcommand calls the parameters of the library."""
        command = self.get_command(ctx, ctx.invoked_subcommand or "")
        return {} if command is None else messages.option_names(command)


@contextmanager
def _first_use_told_on_terminals() -> Iterator[None]:
    """Say that kernels are being compiled to somebody who waits, not in the log of a machine."""
    import logging

    logger = logging.getLogger("laconic.kernels")
    before = logger.level
    if not sys.stderr.isatty():
        logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logger.setLevel(before)


def _discard_output() -> None:
    """Let Python flush its standard output at exit without a complaint."""
    try:
        target = sys.stdout.fileno()
    except (OSError, ValueError):  # replaced by something that is no file
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, target)
    os.close(nowhere)


@click.group(
    cls=Laconic,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Begin with: laconic demo",
)
@click.version_option(__version__, prog_name="laconic", message="%(prog)s %(version)s")
@debug_option
def laconic() -> None:
    """Sparse, readable topic models: much about a document collection in few words."""


def main() -> None:
    """Run the command line on ``sys.argv``."""
    for name in ("stdin", "stdout", "stderr"):  # closed by whoever started the program
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "r" if name == "stdin" else "w"))  # noqa: SIM115
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")  # a word that the terminal's encoding lacks
    laconic(prog_name="laconic")
