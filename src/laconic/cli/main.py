"""The ``laconic`` command: list of subcommands, and handling of errors.

The exit status is:

=====  ==============================================================================
0      success
1      invalid input, or output that cannot be written; a message gives the reason
2      invalid command line
130    interrupted by Ctrl-C; ``laconic fit`` then saves the model in its current state
141    broken pipe: the program that reads the output closed it, as ``head`` does
=====  ==============================================================================
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

# Copied from the docstrings, so that `laconic --help` imports no command; a test checks the copies.
COMMANDS = {
    "demo": "Fit the built-in corpus and show its topics.",
    "fit": "Fit a topic model to documents and save it.",
    "topics": "Show the topics of a saved model.",
    "name": "Name the topics of a saved model, without a network.",
    "senses": "Show the senses of a word: its topics, with examples.",
    "similar": "Show the documents most similar to one document.",
    "search": "Search the documents of a saved model.",
    "keywords": "Show the keywords that set each document apart.",
    "transform": "Write the topic weights of each document.",
    "classify": "Write the predicted class of each document.",
    "evaluate": "Evaluate a saved model on documents.",
    "compare": "Fit several models to the same documents and compare them.",
    "tune": "Choose the number of topics and the sparsity of a model.",
    "edit": "Edit the topics of a saved model: merge, split, drop, keep.",
    "explore": "Explore a saved model in the browser: topics, documents, words.",
    "report": "Write an HTML report on a saved model, to send or print.",
    "plot": "Draw a chart of a saved model.",
    "convert": "Write a corpus in another format.",
    "plan": "Estimate time, memory and disk space of a fit.",
    "info": "Describe a corpus or a saved model.",
    "verify": "Check that saved models and corpora are not damaged.",
}


class Laconic(click.Group):
    """Command group that imports subcommands on demand and prints exceptions as messages."""

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

            close = get_close_matches(name, COMMANDS, n=1)
            hint = f"Did you mean {close[0]}?" if close else f"Choose from {', '.join(COMMANDS)}."
            ctx.fail(f"No such command '{name}'. {hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def invoke(self, ctx: click.Context) -> Any:
        with messages.on_stderr(), _compilation_notice_on_terminals_only():
            try:
                result = super().invoke(ctx)
                sys.stdout.flush()  # A full disk or a broken pipe raises an error here.
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
                    _discard_output()  # Writing to standard output may have failed.
                ctx.exit(FAILED)

    def _options(self, ctx: click.Context) -> dict[str, str]:
        """Return a mapping from parameters of the library to options of the subcommand."""
        command = self.get_command(ctx, ctx.invoked_subcommand or "")
        return {} if command is None else messages.option_names(command, ctx)


@contextmanager
def _compilation_notice_on_terminals_only() -> Iterator[None]:
    """Hide log messages about the compilation of kernels unless standard error is a terminal."""
    import logging

    logger = logging.getLogger("laconic.kernels")
    old_level = logger.level
    if not sys.stderr.isatty():
        logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logger.setLevel(old_level)


def _discard_output() -> None:
    """Redirect standard output to the null device, so that Python's flush at exit succeeds."""
    try:
        target = sys.stdout.fileno()
    except (OSError, ValueError):  # standard output was replaced by an object that is not a file
        return
    null_device = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null_device, target)
    os.close(null_device)


@click.group(
    cls=Laconic,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with: laconic demo",
)
@click.version_option(__version__, prog_name="laconic", message="%(prog)s %(version)s")
@debug_option
def laconic() -> None:
    """Short, readable topics from large document collections."""


def main() -> None:
    """Run the command that the user typed (``sys.argv``)."""
    for name in ("stdin", "stdout", "stderr"):  # None if the parent process closed the stream
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "r" if name == "stdin" else "w"))  # noqa: SIM115
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")  # if the terminal cannot encode a character
    laconic(prog_name="laconic")
