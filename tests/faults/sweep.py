"""Sweep over all points at which an operation can fail, and check what it leaves.

Run as a program, this module prints one line of JSON per operation::

    python -m tests.faults.sweep --stride 3 "save a model"

The program must be a process of its own, because it forks: it imports everything, but starts no
threads before it forks.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import count
from pathlib import Path

from tests.faults.operations import Operation, operations
from tests.faults.tracing import ERRORS, KILL, Fault, Outcome, outcome_of, run

KINDS = (*ERRORS, KILL)
CLEANING = ("unlink", "rmdir")  # If the old result cannot be deleted, the next run deletes it.


@dataclass
class Swept:
    """The result of the sweep of one operation."""

    operation: str
    points: int = 0  # number of different calls at which a fault was injected
    runs: int = 0
    killed: int = 0
    refused: int = 0
    survived: int = 0  # runs that were successful in spite of the fault
    failures: list[str] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)


def sweep(operation: Operation, home: Path, kinds: Sequence[str] = KINDS, stride: int = 1) -> Swept:
    """Inject each kind of fault at each call of an operation, or at every `stride`-th call."""
    swept = Swept(operation.name)
    template, work = home / "template", home / "work"
    template.mkdir()
    if not operation.is_new:
        write_version(operation, template, 0)
    old, old_names = read_state(operation, template), names_in(template)
    shutil.copytree(template, work)
    write_version(operation, work, 1)
    new, new_names = read_state(operation, work), names_in(work)
    assert old != new, operation.name
    for kind in kinds:
        for number in count(1, stride):
            shutil.rmtree(work)
            shutil.copytree(template, work)
            outcome = run(lambda: operation.write(work, 1), work, Fault(number, kind))
            if outcome.call is None:  # The operation has fewer calls.
                swept.points = outcome.calls
                break
            swept.runs += 1
            swept.killed += outcome.result == "killed"
            swept.refused += outcome.result == "refused"
            swept.survived += outcome.result == "done"
            if outcome.result == "refused" and outcome.message not in swept.messages:
                swept.messages.append(outcome.message)
            for problem in _problems(
                operation, work, outcome, kind, (old, old_names), (new, new_names)
            ):
                swept.failures.append(f"{kind} at call {number} ({outcome.call}): {problem}")
    shutil.rmtree(work)
    shutil.rmtree(template)
    return swept


def _problems(
    operation: Operation,
    work: Path,
    outcome: Outcome,
    kind: str,
    old: tuple[str, list[str]],
    new: tuple[str, list[str]],
) -> Iterator[str]:
    """Yield what is wrong after a fault."""
    if outcome.result == "traceback":
        yield f"raised {outcome.message.splitlines()[-1]}"
    names = names_in(work)
    call, _, path = (outcome.call or "").partition(" ")
    may_leave = kind == KILL or call in CLEANING or ".old" in path
    if not may_leave and names not in (old[1], new[1]):
        yield f"left {sorted(set(names) - set(old[1]) - set(new[1])) or names}"
    allowed = (new[0],) if outcome.result == "done" else (old[0], new[0])

    def inspect() -> str:
        if operation.read(work) not in allowed:
            return "mixed or lost"
        operation.write(work, 1)  # The next run
        return "" if operation.read(work) == new[0] else "the next run wrote something else"

    result, message = outcome_of(inspect)
    if result != "done" or message:
        yield f"{result}: {message}"
    elif names_in(work) != new[1]:
        yield f"the next run left {sorted(set(names_in(work)) ^ set(new[1]))}"


def write_version(operation: Operation, folder: Path, version: int) -> None:
    result, message = outcome_of(lambda: operation.write(folder, version) and None)
    if result != "done":
        raise RuntimeError(message)


def read_state(operation: Operation, folder: Path) -> str:
    result, message = outcome_of(lambda: operation.read(folder))
    if result != "done":
        raise RuntimeError(message)
    return message


def names_in(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--stride", type=int, default=1)
    parser.add_argument("--kinds", default=",".join(KINDS))
    arguments = parser.parse_args()
    logging.disable()
    for operation in operations():
        if arguments.names and operation.name not in arguments.names:
            continue
        with tempfile.TemporaryDirectory() as home:
            swept = sweep(
                operation,
                Path(os.path.realpath(home)),
                tuple(arguments.kinds.split(",")),
                arguments.stride,
            )
        sys.stdout.write(json.dumps(asdict(swept)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
