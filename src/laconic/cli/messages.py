"""What is said on standard error: log lines, warnings and errors, one line each.

The library speaks of its parameters (``min_df=2``); here they get the names of the options
(``--min-df=2``).
"""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import click

DEBUG = "laconic.debug"  # in the meta of a click context
IN_COMMANDS = {  # advice of the library -> advice of the command line
    "open it with laconic.load": "see it with laconic topics or laconic info",
    "open it with laconic.read": "see it with laconic info",
}
BOTH_NAMES = re.compile(r"\w+=\w+ \((--[\w-]+)\)")  # as in "force=True (--force)"


def say(text: str) -> None:
    """One line on standard error, whatever that is at the moment (a progress bar wraps it)."""
    sys.stderr.write(f"laconic: {' '.join(text.split())}\n")


def program() -> str:
    """How this program is called here: by its name where the shell finds it, else by its path."""
    import shlex
    import shutil

    called = sys.argv[0]
    if os.path.basename(called) != "laconic":  # python -m laconic, or inside a test
        return "laconic"
    found = shutil.which("laconic")
    if found is not None and os.path.exists(called) and os.path.samefile(found, called):
        return "laconic"
    path = os.path.relpath(called)
    return shlex.quote(path if not path.startswith("..") else called)


def hint(*lines: str) -> None:
    """What to type next, unless it was asked to be quiet."""
    import logging

    if logging.getLogger("laconic").isEnabledFor(logging.INFO):
        sys.stderr.write("".join(f"{line}\n" for line in lines))


def set_verbosity(quiet: bool, verbose: bool) -> int:
    """How much the log says; returns the `verbose` that models take."""
    import logging

    logging.getLogger("laconic").setLevel(logging.WARNING if quiet else logging.INFO)
    return 0 if quiet else 2 if verbose else 1


def working(text: str) -> AbstractContextManager[Any]:
    """Show on a terminal that something takes a while."""
    import logging

    from laconic.progress import status

    wanted = logging.getLogger("laconic").isEnabledFor(logging.INFO)
    return status(text, shown=wanted and sys.stderr.isatty())


@contextmanager
def on_stderr() -> Iterator[None]:
    """Show log lines and warnings of the library as lines of this program."""
    import logging

    class Lines(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            level = "warning: " if record.levelno >= logging.WARNING else ""
            say(level + record.getMessage())

    def show(message: Warning | str, *place: Any, **more: Any) -> None:
        context = click.get_current_context(silent=True)
        names = {} if context is None else option_names(context.command)
        say(f"warning: {in_options(str(message), names)}")

    logger, handler = logging.getLogger("laconic"), Lines()
    level, propagate = logger.level, logger.propagate
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logger.propagate = False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", UserWarning)
            warnings.showwarning = show
            yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
        logger.propagate = propagate


def debugging(ctx: click.Context) -> bool:
    """Whether a traceback was asked for."""
    asked = os.environ.get("LACONIC_DEBUG", "") not in ("", "0")
    return asked or bool(ctx.meta.get(DEBUG))


def report(error: Exception, names: Mapping[str, str]) -> None:
    """The sentence of an error; one that was not foreseen says what it is."""
    say(f"error: {_sentence(error, names)}")


def _sentence(error: Exception, names: Mapping[str, str]) -> str:
    problem = getattr(error, "problem", None)
    if problem is not None:  # the path before it is the user's own and stays as it is
        return str(error).removesuffix(problem) + in_options(problem, names)
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename is not None else ""
        return f"{where}{error.strerror}"
    if isinstance(error, MemoryError):
        return "the memory is full; fit fewer topics, or convert the corpus to a store first"
    if isinstance(error, ValueError):
        return in_options(str(error), names)
    return f"{type(error).__name__}: {error} (this is a bug; --debug shows where it happened)"


def option_names(command: click.Command) -> dict[str, str]:
    """Parameter of the library -> option of the command."""
    return {
        parameter.name: max(parameter.opts, key=len)
        for parameter in command.params
        if isinstance(parameter, click.Option) and parameter.name
    }


def in_options(text: str, names: Mapping[str, str]) -> str:
    """A sentence of the library in terms of the command line.

    Examples
    --------
    >>> names = {"min_df": "--min-df", "text": "--text", "force": "--force"}
    >>> in_options("lower min_df, or name the text with text=", names)
    'lower --min-df, or name the text with --text'
    >>> in_options("exists; give force=True (--force) to replace it", names)
    'exists; give --force to replace it'
    >>> in_options("'min_df' needs text='body'", names)
    '--min-df needs --text body'
    """
    for python, shell in IN_COMMANDS.items():
        text = text.replace(python, shell)
    text = BOTH_NAMES.sub(r"\1", text)
    for name, option in names.items():
        text = re.sub(rf"(?<![\w-]){name}=(?=[\s,;.)]|$)", option, text)
        text = re.sub(rf"(?<![\w-]){name}='(\w+)'", rf"{option} \1", text)
        text = text.replace(f"'{name}'", option)
        text = re.sub(rf"(?<![\w-]){name}=", f"{option}=", text)
        if "_" in name:  # a name without an underscore may be an ordinary word
            text = re.sub(rf"(?<![\w-]){name}(?!\w)", option, text)
    return text
