"""Kill operations at random moments (SIGKILL), and check what they leave.

Run as a program, this module prints one line of JSON per operation::

    python -m tests.faults.kills --kills 100 "save a model"
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import laconic
from tests.faults.operations import Operation, operations
from tests.faults.sweep import names_in, read_state, write_version
from tests.faults.tracing import outcome_of

REPEATS = 5  # runs that are timed to know how long an operation takes
LATE = 1.05  # Moments are drawn up to this share of the time, so that the last call is included.


@dataclass
class Killed:
    """The result for one operation."""

    operation: str
    kills: int = 0
    finished: int = 0  # runs that ended before the kill
    old: int = 0  # kills after which the old result was there
    new: int = 0
    seconds: float = 0.0  # duration of the operation
    failures: list[str] = field(default_factory=list)


def campaign(operation: Operation, kills: int, home: Path, seed: int) -> Killed:
    """Kill an operation in a forked child at moments that are drawn uniformly."""
    randomness = random.Random(f"{operation.name} {seed}")
    killed = Killed(operation.name)
    template, work = home / "template", home / "work"
    template.mkdir()
    if not operation.is_new:
        write_version(operation, template, 0)
    old = read_state(operation, template)
    shutil.copytree(template, work)
    write_version(operation, work, 1)
    new, new_names = read_state(operation, work), names_in(work)
    killed.seconds = sorted(_timed(operation, template, work) for _ in range(REPEATS))[REPEATS // 2]
    while killed.kills < kills and killed.finished < 3 * kills:
        _copy(template, work)
        if not _kill_once(operation, work, randomness.uniform(0, LATE * killed.seconds)):
            killed.finished += 1
            continue
        killed.kills += 1

        def inspect() -> str:
            found = operation.read(work)
            operation.write(work, 1)  # The next run
            after = operation.read(work)
            return json.dumps([found == old, found == new, after == new])

        result, message = outcome_of(inspect)
        killed.failures += _problems(killed, result, message, names_in(work), new_names)
    return killed


def _problems(
    killed: Killed, result: str, message: str, names: list[str], new_names: list[str]
) -> Iterator[str]:
    """Yield what is wrong after a kill; count whether the old or the new result is there."""
    if result != "done":
        yield f"unreadable: {message}"
        return
    is_old, is_new, next_is_new = json.loads(message)
    killed.old += is_old
    killed.new += is_new
    if not (is_old or is_new):
        yield "mixed or lost"
    if not next_is_new:
        yield "the next run wrote something else"
    if names != new_names:
        yield f"the next run left {sorted(set(names) ^ set(new_names))}"


def _copy(template: Path, work: Path) -> None:
    shutil.rmtree(work)
    shutil.copytree(template, work)


def _start(operation: Operation, work: Path) -> int:
    """Start an operation in a child; return when the child is about to begin."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writing, b".")
            operation.write(work, 1)
        finally:
            os._exit(0)
    os.close(writing)
    os.read(reading, 1)
    os.close(reading)
    return child


def _timed(operation: Operation, template: Path, work: Path) -> float:
    _copy(template, work)
    child = _start(operation, work)
    start = time.perf_counter()
    os.waitpid(child, 0)
    return time.perf_counter() - start


def _kill_once(operation: Operation, work: Path, moment: float) -> bool:
    """Kill an operation after some seconds; return False if it ended before."""
    child = _start(operation, work)
    time.sleep(moment)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


# ---- The command line ----

COMMANDS = {
    "laconic convert": ["convert", "{new}.csv", "-o", "a.corpus"],
    "laconic convert to .mtx": ["convert", "{new}.csv", "-o", "a.mtx"],
    "laconic fit": ["fit", "{new}.csv", "-o", "a.model", "-k", "2"],
    "laconic transform": ["transform", "b.model", "{new}.csv", "-o", "codes.csv"],
}
READERS = {
    "laconic convert": lambda: _texts(laconic.read("a.corpus")),
    "laconic convert to .mtx": lambda: _texts(laconic.read("a.mtx")),
    "laconic fit": lambda: laconic.load("a.model")[-1].components_.sum().round(4),
    "laconic transform": lambda: Path("codes.csv").read_text(),
}


def _texts(corpus: Any) -> list[Any]:
    return [corpus.counts.toarray().tolist(), corpus.vocabulary.tolist()]


def kill_command(name: str, kills: int, home: Path, seed: int) -> Killed:
    """Kill the command line at moments that are drawn uniformly."""
    randomness = random.Random(f"{name} {seed}")
    killed = Killed(name)
    os.chdir(home)
    for version, animal in (("old", "cat"), ("new", "emu")):
        rows = [f"the {animal} number {row} sat with {row % 3} dogs and owls" for row in range(30)]
        Path(f"{version}.csv").write_text("text\n" + "\n".join(rows) + "\n")
    if name == "laconic transform":
        _command(["fit", "old.csv", "-o", "b.model", "-k", "2"]).wait()
    states = []
    for version in ("old", "new"):
        start = time.perf_counter()
        assert _command(_arguments(name, version)).wait() == 0
        killed.seconds = time.perf_counter() - start
        states.append(outcome_of(lambda: repr(READERS[name]())))
    expected = names_in(home)
    while killed.kills < kills and killed.finished < kills:
        _command(_arguments(name, "old")).wait()
        process = _command(_arguments(name, "new"))
        time.sleep(randomness.uniform(0.3, LATE) * killed.seconds)
        process.kill()
        if process.wait() != -signal.SIGKILL:
            killed.finished += 1
            continue
        killed.kills += 1
        found = outcome_of(lambda: repr(READERS[name]()))
        killed.old += found == states[0]
        killed.new += found == states[1]
        if found not in states:
            killed.failures.append(f"mixed, lost or unreadable: {found[1][:300]}")
    _command(_arguments(name, "new")).wait()
    if names_in(home) != expected:
        killed.failures.append(f"left {sorted(set(names_in(home)) ^ set(expected))}")
    return killed


def _arguments(name: str, version: str) -> list[str]:
    return [part.format(new=version) for part in COMMANDS[name]] + ["--force"]


def _command(arguments: list[str]) -> subprocess.Popen[bytes]:
    code = "from laconic.cli.main import main; main()"
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--kills", type=int, default=50, help="of each operation")
    parser.add_argument("--commands", type=int, default=0, help="kills of each command")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--part", type=int, help="0 or 1: only every second operation")
    arguments = parser.parse_args()
    logging.disable()
    for number, operation in enumerate(operations()):
        if arguments.names and operation.name not in arguments.names:
            continue
        if arguments.part is not None and number % 2 != arguments.part:
            continue
        with tempfile.TemporaryDirectory() as home:
            place = Path(os.path.realpath(home))
            _print(campaign(operation, arguments.kills, place, arguments.seed))
    for number, name in enumerate(COMMANDS if arguments.commands else ()):
        if arguments.part is not None and number % 2 != arguments.part:
            continue
        with tempfile.TemporaryDirectory() as home:
            place = Path(os.path.realpath(home))
            _print(kill_command(name, arguments.commands, place, arguments.seed))


def _print(killed: Killed) -> None:
    sys.stdout.write(json.dumps(asdict(killed)) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
