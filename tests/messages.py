"""Checks of error messages: the test names the important parts, a golden file has the whole text.

A test names the parts that a user needs, such as the parameter, the value, the file, the line and
the alternatives. The wording around these parts can change without changing the test::

    with refused("n_components", "0"):
        laconic.SparseLSA(0).fit(X)

The complete messages are stored in ``tests/golden/PACKAGE.txt``, so that a change of wording shows
as a diff of these files. ``make messages`` writes the files again.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import gettempdir

import pytest

from laconic import LaconicError

GOLDEN = Path(__file__).parent / "golden"
WRITING = os.environ.get("LACONIC_MESSAGES") == "write"

SEEN: dict[str, list[str]] = defaultdict(list)  # the messages of this run, by test

Refused = pytest.ExceptionInfo[BaseException]


@contextmanager
def refused(
    *parts: str, kind: type[BaseException] = LaconicError, golden: bool = True
) -> Iterator[Refused]:
    """Check that the body raises `kind` with a one-line message that contains all `parts`.

    Use ``golden=False`` if another library or the operating system wrote a part of the message,
    because that part differs between versions. The message is then not compared with the golden
    file.
    """
    with pytest.raises(kind) as caught:
        yield caught
    check(str(caught.value), *parts, golden=golden)


@contextmanager
def warned(*parts: str, kind: type[Warning] = UserWarning, golden: bool = True) -> Iterator[None]:
    """Check that the body emits a warning of class `kind` whose message contains all `parts`."""
    with pytest.warns(kind) as seen:
        yield
    texts = [str(one.message) for one in seen if issubclass(one.category, kind)]
    likely = [text for text in texts if all(part in text for part in parts)] or texts
    check(likely[0], *parts, golden=golden)


def check(message: str, *parts: str, golden: bool = True) -> None:
    """Check that a message contains its parts and equals the message in the golden file."""
    missing = [part for part in parts if part not in message]
    assert not missing, f"{missing} not in: {message}"
    if golden:
        compare(message)


def compare(message: str) -> None:
    """Compare the next message of this test with the golden file, or collect it for writing."""
    test = os.environ["PYTEST_CURRENT_TEST"].rpartition(" (")[0].removeprefix("tests/")
    message = without_places(message)
    SEEN[test].append(message)
    if WRITING:
        return
    known = golden_messages(package_of(test)).get(test, [])
    number = len(SEEN[test]) - 1
    expected = known[number] if number < len(known) else "(nothing)"
    assert message == expected, (
        f"the wording changed; if it is better now, run: make messages\n"
        f"was: {expected}\nnow: {message}"
    )


def without_places(message: str) -> str:
    """Replace temporary folders, which differ from run to run, by ``TMP``."""
    folder = (
        re.escape(gettempdir()) + r"/pytest-of-[^/\s]+/pytest-\d+(/popen-gw\d+)?/[^/\s'\"`:;,]+"
    )
    return re.sub(folder, "TMP", message)


def package_of(test: str) -> str:
    """Return the name of a test's golden file, which is the top folder of the test."""
    path = test.partition("::")[0]
    return path.partition("/")[0] if "/" in path else "laconic"


@cache
def golden_messages(package: str) -> dict[str, list[str]]:
    """Return the messages of each test of a package, in the order in which they were raised."""
    path = GOLDEN / f"{package}.txt"
    known: dict[str, list[str]] = defaultdict(list)
    test = ""
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        if line.startswith("    "):
            known[test].append(unescape(line[4:]))
        elif line:
            test = unescape(line)
    return known


def write(seen: dict[str, list[str]]) -> None:
    """Write the messages of the tests that ran to the golden files of their packages."""
    GOLDEN.mkdir(exist_ok=True)
    for package in {package_of(test) for test in seen}:
        new = {test: said for test, said in seen.items() if package_of(test) == package}
        lines = []
        for test, said in sorted((golden_messages(package) | new).items()):
            lines += [escape(test), *(f"    {escape(message)}" for message in said), ""]
        (GOLDEN / f"{package}.txt").write_text("\n".join(lines), encoding="utf-8")


def escape(text: str) -> str:
    """Escape backslashes and unprintable characters, so that the text fits on one line."""
    return "".join(
        char if char.isprintable() and char != "\\" else char.encode("unicode_escape").decode()
        for char in text
    )


def unescape(line: str) -> str:
    return re.sub(
        r"\\(x..|u....|U.{8}|.)",
        lambda found: found[0].encode("ascii").decode("unicode_escape"),
        line,
    )
