"""Messages on standard error: log lines, warnings and errors; each message is one line.

Parameter names in messages of the library (``min_df=2``) are replaced by option names
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

DEBUG = "laconic.debug"  # key in the meta dictionary of a click context
# Maps advice in messages of the library to advice for users of the command line.
COMMANDS_FOR_FUNCTIONS = {
    "with laconic.load": "with 'laconic topics' or 'laconic info'",
    "with laconic.read": "with 'laconic info'",
}
OPTION_NAMES = "laconic.option_names"  # key in the meta dictionary; see `name_options`
WORDS_THAT_ARE_NAMES = {"alpha", "tol"}  # names without "_" that are not ordinary words
PARAMETER_AND_OPTION = re.compile(r"\w+=\w+ \((--[\w-]+)\)")  # such as "force=True (--force)"


def say(text: str) -> None:
    """Print one line on ``sys.stderr``, which a progress bar may have replaced."""
    sys.stderr.write(f"laconic: {' '.join(text.split())}\n")


def program() -> str:
    """Return the command that starts this program: ``laconic`` or the path of the script."""
    import shlex
    import shutil

    script = sys.argv[0]
    if os.path.basename(script) != "laconic":  # run as "python -m laconic", or called by a test
        return "laconic"
    on_path = shutil.which("laconic")
    if on_path is not None and os.path.exists(script) and os.path.samefile(on_path, script):
        return "laconic"
    relative = os.path.relpath(script)
    return shlex.quote(relative if not relative.startswith("..") else script)


def name_options(names: Mapping[str, str]) -> None:
    """From now on, translate these parameter names in messages in another way than by default."""
    click.get_current_context().meta[OPTION_NAMES] = dict(names)


def hint(*lines: str) -> None:
    """Print lines on standard error, unless --quiet is set."""
    import logging

    if logging.getLogger("laconic").isEnabledFor(logging.INFO):
        sys.stderr.write("".join(f"{line}\n" for line in lines))


def wrote(path: str | os.PathLike[str]) -> None:
    """Print the name and size of a file or folder that was written, unless --quiet is set."""
    import shlex
    from pathlib import Path

    from laconic.wording import size

    target = Path(path)
    files = target.rglob("*") if target.is_dir() else [target]
    n_bytes = sum(file.stat().st_size for file in files if file.is_file())
    hint(f"Wrote {shlex.quote(str(path))} ({size(n_bytes)}).")


def set_verbosity(quiet: bool, verbose: bool) -> int:
    """Set the log level, and return the corresponding value of the model parameter `verbose`."""
    import logging

    logging.getLogger("laconic").setLevel(logging.WARNING if quiet else logging.INFO)
    return 0 if quiet else 2 if verbose else 1


def working(text: str) -> AbstractContextManager[Any]:
    """Show a status line on a terminal while the body of the ``with`` statement runs."""
    import logging

    from laconic.progress import status

    is_verbose = logging.getLogger("laconic").isEnabledFor(logging.INFO)
    return status(text, shown=is_verbose and sys.stderr.isatty())


@contextmanager
def on_stderr() -> Iterator[None]:
    """Print the library's log lines and warnings on standard error, as messages of laconic.

    A warning that is repeated, for example when texts are also indexed, is printed once.
    """
    import logging

    shown: set[str] = set()

    class Lines(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if record.levelno >= logging.WARNING:
                show(record.getMessage())
            else:
                say(record.getMessage())

    def show(message: Warning | str, *location: Any, **more: Any) -> None:
        context = click.get_current_context(silent=True)
        names = {} if context is None else option_names(context.command, context)
        if str(message) not in shown:
            shown.add(str(message))
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
    """Return whether --debug or ``LACONIC_DEBUG`` is set, so that tracebacks are shown."""
    is_set = os.environ.get("LACONIC_DEBUG", "") not in ("", "0")
    return is_set or bool(ctx.meta.get(DEBUG))


def report(error: Exception, names: Mapping[str, str]) -> None:
    """Print the message of an error; an unexpected exception is reported as a bug."""
    say(f"error: {_message(error, names)}")


def _message(error: Exception, names: Mapping[str, str]) -> str:
    problem = getattr(error, "problem", None)
    if problem is not None:  # Names in the user's path are not replaced.
        return str(error).removesuffix(problem) + in_options(problem, names) + _advice(error)
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename is not None else ""
        return f"{where}{error.strerror}"
    if isinstance(error, MemoryError):
        return "out of memory; fit fewer topics, or fit a store created with 'laconic convert'"
    if isinstance(error, ValueError):
        return in_options(str(error), names)
    return f"{type(error).__name__}: {error} (this is a bug; --debug shows where it happened)"


def _advice(error: Exception) -> str:
    """Return what to do if a file was passed where a saved model is needed."""
    from laconic.errors import ModelFileError

    if not isinstance(error, ModelFileError) or not os.path.isfile(error.path):
        return ""
    if not error.problem.startswith("is a file, not a folder"):
        return ""
    import shlex

    return f"; to fit a model to this file, run: {program()} fit {shlex.quote(error.path)}"


def option_names(command: click.Command, ctx: click.Context | None = None) -> dict[str, str]:
    """Return a mapping from parameters of the library to options of the command."""
    names = {
        parameter.name: max(parameter.opts, key=len)
        for parameter in command.params
        if isinstance(parameter, click.Option) and parameter.name
    }
    return names | (ctx.meta.get(OPTION_NAMES, {}) if ctx is not None else {})


def in_options(text: str, names: Mapping[str, str]) -> str:
    """Replace the names of parameters in a message of the library with the names of options.

    Examples
    --------
    >>> names = {"min_df": "--min-df", "text": "--text", "force": "--force"}
    >>> in_options("lower min_df, or set the column with text=", names)
    'lower --min-df, or set the column with --text'
    >>> in_options("exists; set force=True (--force) to replace it", names)
    'exists; set --force to replace it'
    >>> in_options("'min_df' needs text='body'", names)
    '--min-df needs --text body'
    >>> in_options("lower alpha", {"alpha": "--alpha"})
    'lower --alpha'
    """
    for function, command in COMMANDS_FOR_FUNCTIONS.items():
        text = text.replace(function, command)
    text = PARAMETER_AND_OPTION.sub(r"\1", text)
    for name, option in names.items():
        text = re.sub(rf"(?<![\w-]){name}=(?=[\s,;.)]|$)", option, text)
        text = re.sub(rf"(?<![\w-]){name}=(['\"])([\w-]+)\1", rf"{option} \2", text)
        text = text.replace(f"'{name}'", option)
        text = re.sub(rf"(?<![\w-]){name}=", f"{option}=", text)
        if "_" in name or name in WORDS_THAT_ARE_NAMES:
            text = re.sub(rf"(?<![\w-]){name}(?!\w)", option, text)
    return text
