"""Run many mutated inputs in child processes, and count crashes, hangs and too much memory.

A child that crashes or hangs is replaced, and the campaign goes on. The process that calls `fuzz`
must not have started threads of polars, because it forks.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import mmap
import os
import random
import resource
import shutil
import signal
import struct
import sys
import tempfile
import time
import traceback
from dataclasses import asdict, dataclass, field
from pathlib import Path

from fuzz.mutation import mutated
from fuzz.targets import BY_NAME, TARGETS, Target, quiet, warm_up

SECONDS = 10.0  # An input that takes more time of a core counts as a hang.
PATIENCE = 120.0  # so does an input that takes more time on the clock, on a busy machine
MEMORY = 2 << 30  # bytes of address space that a child may use beyond what it has at the start
WARMING = -1  # number of the current input while a child warms up
BLOCK = 100_000  # number of inputs after which a child is replaced
SHARED = struct.Struct("qqqq")  # number of the current input, and of those read, peak memory


@dataclass
class Fuzzed:
    """The result for one target."""

    target: str
    inputs: int = 0
    accepted: int = 0
    peak: int = 0  # largest resident memory of a child in bytes
    failures: dict[str, bytes] = field(default_factory=dict)  # an input for each kind of failure
    crashes: int = 0
    hangs: int = 0
    memory: int = 0


def input_of(target: Target, seeds: list[bytes], seed: int, number: int) -> bytes:
    """Return the input with a number, which is always the same."""
    return mutated(seeds, target.dictionary, random.Random(f"{target.name} {seed} {number}"))


def fuzz(target: Target, count: int, seed: int = 0, until: float | None = None) -> Fuzzed:
    """Read `count` inputs, or fewer if the time `until` has come."""
    fuzzed = Fuzzed(target.name)
    warm_up(target)
    seeds = target.seeds()
    shared = mmap.mmap(-1, 4096)
    number = 0
    place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    home = Path(tempfile.mkdtemp(dir=place))
    try:
        while number < count and (until is None or time.monotonic() < until):
            last = min(number + BLOCK, count)
            number = _block(fuzzed, target, seeds, seed, range(number, last), shared, home, until)
    finally:
        shutil.rmtree(home, ignore_errors=True)
    fuzzed.inputs = number
    return fuzzed


def _block(
    fuzzed: Fuzzed,
    target: Target,
    seeds: list[bytes],
    seed: int,
    numbers: range,
    shared: mmap.mmap,
    home: Path,
    until: float | None,
) -> int:
    """Read some inputs in a child; return the number of the next input."""
    SHARED.pack_into(shared, 0, WARMING, 0, 0, 0)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _child(target, seeds, seed, numbers, shared, home, writing, until)
    os.close(writing)
    status, hung = _watch(child, shared)
    current, accepted, peak, finished = SHARED.unpack_from(shared, 0)
    with open(reading, "rb") as pipe:
        reports = pipe.read().decode("utf-8", "replace").split("\0")
    fuzzed.accepted += accepted
    fuzzed.peak = max(fuzzed.peak, peak)
    for line in filter(None, reports):
        failed, _, kind = line.partition(" ")
        fuzzed.memory += "MemoryError" in kind
        fuzzed.crashes += "MemoryError" not in kind
        fuzzed.failures.setdefault(kind, input_of(target, seeds, seed, int(failed)))
    if finished:
        return current
    data = input_of(target, seeds, seed, current)
    if hung:
        fuzzed.hangs += 1
        fuzzed.failures.setdefault("hang", data)
    else:
        fuzzed.crashes += 1
        fuzzed.failures.setdefault(f"status {status}", data)
    return current + 1


def _watch(child: int, shared: mmap.mmap) -> tuple[int, bool]:
    """Wait for a child; kill it if it reads one input for too long."""
    seen, since, used = -2, time.monotonic(), 0.0
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status, False
        current = SHARED.unpack_from(shared, 0)[0]
        if current != seen:
            seen, since, used = current, time.monotonic(), _processor_time(child)
        elif current != WARMING and (
            _processor_time(child) - used > SECONDS or time.monotonic() - since > PATIENCE
        ):
            os.kill(child, signal.SIGKILL)
            return os.waitpid(child, 0)[1], True
        time.sleep(0.05)


def _processor_time(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _child(
    target: Target,
    seeds: list[bytes],
    seed: int,
    numbers: range,
    shared: mmap.mmap,
    home: Path,
    pipe: int,
    until: float | None,
) -> None:
    silence = os.open(os.devnull, os.O_WRONLY)  # Rust prints panics to standard error.
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    quiet()
    path = target.prepare(home)
    for data in seeds:  # Modules are imported, and kernels are loaded, before inputs are timed.
        target.run(data, path)
    target_limit = _address_space() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (target_limit, target_limit))
    accepted = 0
    number = numbers.start
    for number in numbers:
        SHARED.pack_into(shared, 0, number, accepted, 0, 0)
        if until is not None and number % 50 == 0 and time.monotonic() > until:
            number -= 1
            break
        try:
            accepted += target.run(input_of(target, seeds, seed, number), path)
        except BaseException as error:  # also panics of Rust, which are no Exception
            kind = _kind(error)
            os.write(pipe, f"{number} {kind}\0".encode("utf-8", "replace")[:4000])
            path = target.prepare(home)
    SHARED.pack_into(shared, 0, number + 1, accepted, _peak(), 1)
    os._exit(0)


def _kind(error: BaseException) -> str:
    """Return a line that is the same for failures at the same place."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "/laconic/" in frame.filename]
    where = f"{Path(ours[-1].filename).name}:{ours[-1].name}" if ours else "fuzz"
    return f"{type(error).__name__} in {where}: {str(error)[:120]}".replace("\0", " ")


def _address_space() -> int:
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def shares(count: int, targets: list[Target]) -> list[int]:
    """Return the number of inputs of each target, in proportion to the weights."""
    total = sum(target.weight for target in targets)
    return [math.ceil(count * target.weight / total) for target in targets]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", help="names of targets; all by default")
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--part", type=int, help="0 or 1: only every second target")
    parser.add_argument("--save", type=Path, help="folder for the inputs that fail")
    arguments = parser.parse_args()
    targets = [target for target in TARGETS if target.name in (arguments.targets or BY_NAME)]
    counts = shares(arguments.inputs, targets)
    for number, (target, count) in enumerate(zip(targets, counts, strict=True)):
        if arguments.part is not None and number % 2 != arguments.part:
            continue
        fuzzed = fuzz(target, count, arguments.seed)
        sys.stdout.write(json.dumps({**asdict(fuzzed), "failures": list(fuzzed.failures)}) + "\n")
        sys.stdout.flush()
        sys.stderr.write(f"{target.name}: {fuzzed.inputs:,} inputs\n")
        if arguments.save is not None:
            save(fuzzed, arguments.save)


def save(fuzzed: Fuzzed, folder: Path) -> None:
    """Save an input for each kind of failure."""
    for data in fuzzed.failures.values():
        path = folder / fuzzed.target / hashlib.sha256(data).hexdigest()[:12]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


if __name__ == "__main__":
    main()
