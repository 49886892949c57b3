"""What an error says: its parts in the test, the whole sentence in a golden file.

A test names the parts that a user needs, such as the parameter, the value, the file, the line and
the alternatives. The sentence around them may get better without touching the test::

    with refused("n_components", "0"):
        laconic.SparseLSA(0).fit(X)

Whole sentences are kept in ``tests/golden/PACKAGE.txt``, so that a change of wording is one diff of
sentences. ``make messages`` writes these files anew.
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

SEEN: dict[str, list[str]] = defaultdict(list)  # sentences of this run by test

Refused = pytest.ExceptionInfo[BaseException]


@contextmanager
def refused(
    *parts: str, kind: type[BaseException] = LaconicError, golden: bool = True
) -> Iterator[Refused]:
    """The body raises `kind`, whose message has all `parts`, in one line.

    With ``golden=False`` the sentence is not kept: where another library or the operating system
    wrote a part of it, which differs between versions.
    """
    with pytest.raises(kind) as caught:
        yield caught
    check(str(caught.value), *parts, golden=golden)


@contextmanager
def warned(*parts: str, kind: type[Warning] = UserWarning, golden: bool = True) -> Iterator[None]:
    """The body warns by `kind`, in a message that has all `parts`."""
    with pytest.warns(kind) as seen:
        yield
    texts = [str(one.message) for one in seen if issubclass(one.category, kind)]
    likely = [text for text in texts if all(part in text for part in parts)] or texts
    check(likely[0], *parts, golden=golden)


def check(message: str, *parts: str, golden: bool = True) -> None:
    """Check a message by its parts, and as a whole against the golden file."""
    missing = [part for part in parts if part not in message]
    assert not missing, f"{missing} not in: {message}"
    if golden:
        compare(message)


def compare(message: str) -> None:
    """Check the next message of this test against the golden file, or keep it for writing."""
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
    """The message without what differs from one run to the next: temporary folders."""
    folder = (
        re.escape(gettempdir()) + r"/pytest-of-[^/\s]+/pytest-\d+(/popen-gw\d+)?/[^/\s'\"`:;,]+"
    )
    return re.sub(folder, "TMP", message)


def package_of(test: str) -> str:
    """The golden file of a test: the first folder it lies in."""
    path = test.partition("::")[0]
    return path.partition("/")[0] if "/" in path else "laconic"


@cache
def golden_messages(package: str) -> dict[str, list[str]]:
    """The sentences of each test of a package, in order."""
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
    """Write the sentences of the tests that ran into the golden files of their packages."""
    GOLDEN.mkdir(exist_ok=True)
    for package in {package_of(test) for test in seen}:
        new = {test: said for test, said in seen.items() if package_of(test) == package}
        lines = []
        for test, said in sorted((golden_messages(package) | new).items()):
            lines += [escape(test), *(f"    {escape(message)}" for message in said), ""]
        (GOLDEN / f"{package}.txt").write_text("\n".join(lines), encoding="utf-8")


def escape(text: str) -> str:
    """One line of printable characters."""
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
