"""Run a function in a child process in which one call of the operating system fails or is the last.

The child is traced with ptrace, so the calls of compiled libraries, such as polars, are found as
well as those of Python, and in all threads. Only calls that concern files in one folder are
counted. A filter (seccomp) stops the child only at the calls that may be counted.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import signal
import struct
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from laconic.errors import LaconicError

SUPPORTED = sys.platform == "linux" and platform.machine() == "x86_64"
KILL = "kill"
ERRORS = {"ENOSPC": errno.ENOSPC, "EIO": errno.EIO, "EACCES": errno.EACCES}

# Numbers of the calls, and what their first argument is: a path, the descriptor of a folder that is
# followed by a path, or the descriptor of an open file.
PATH, AT, FILE = "path", "at", "file"
CALLS = {
    2: ("open", PATH),
    257: ("open", AT),
    1: ("write", FILE),
    18: ("write", FILE),  # pwrite64
    20: ("write", FILE),  # writev
    77: ("truncate", FILE),
    74: ("fsync", FILE),
    75: ("fsync", FILE),
    82: ("rename", PATH),
    264: ("rename", AT),
    316: ("rename", AT),
    86: ("link", PATH),
    265: ("link", AT),
    83: ("mkdir", PATH),
    258: ("mkdir", AT),
    84: ("rmdir", PATH),
    87: ("unlink", PATH),
    263: ("unlink", AT),
}
WRITES = (1, 18)
AT_FDCWD = -100

TRACEME, GETREGS, SETREGS, CONT, SYSCALL, SETOPTIONS = 0, 12, 13, 7, 24, 0x4200
TRACE_CLONE, TRACE_SECCOMP, EXIT_KILL = 1 << 3, 1 << 7, 1 << 20
EVENT_SECCOMP = 7
WALL = 0x40000000
REGISTERS = """r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi orig_rax rip cs eflags rsp
ss fs_base gs_base ds es fs gs""".split()  # noqa: SIM905


class Registers(ctypes.Structure):
    _fields_ = [(name, ctypes.c_ulonglong) for name in REGISTERS]


class Fault(NamedTuple):
    """What happens at the n-th call: a kind of error, or `KILL`."""

    at: int
    kind: str


class Outcome(NamedTuple):
    """What a run did."""

    calls: int  # number of calls that were counted
    call: str | None  # the call that failed, or None if it was not reached
    result: str  # "done", "refused", "killed" or "traceback"
    message: str = ""


_libc = ctypes.CDLL(None, use_errno=True)
_libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
_libc.ptrace.restype = ctypes.c_long


def run(act: Callable[[], None], folder: Path, fault: Fault | None = None) -> Outcome:
    """Run `act` in a child process, and count the calls that concern files in `folder`."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _ptrace(TRACEME, 0, 0, 0)
        os.kill(os.getpid(), signal.SIGSTOP)
        _report(act, writing, before=_filter_calls)
    os.close(writing)
    try:
        calls, call, status = _trace(child, folder, fault)
        with open(reading, encoding="utf-8") as stream:
            result, _, message = stream.read().partition(" ")
    except BaseException:
        os.kill(child, signal.SIGKILL)
        raise
    if os.WIFSIGNALED(status):
        result, message = ("killed", "") if call else ("traceback", f"signal {os.WTERMSIG(status)}")
    return Outcome(calls, call, result, message)


def outcome_of(act: Callable[[], str | None]) -> tuple[str, str]:
    """Run `act` in a child process without faults; return the kind of result, and its message."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _report(act, writing)
    os.close(writing)
    with open(reading, encoding="utf-8") as stream:
        result, _, message = stream.read().partition(" ")
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return "traceback", f"signal {os.WTERMSIG(status)}"
    return result, message


def _report(
    act: Callable[[], str | None], pipe: int, before: Callable[[], None] = lambda: None
) -> None:
    """Run `act` in the child, write its result to a pipe, and end the child."""
    try:
        before()
        text = f"done {act() or ''}"
    except LaconicError as error:
        text = f"refused {error}"
    except BaseException:
        text = f"traceback {traceback.format_exc()}"
    os.write(pipe, text[-60_000:].encode() if text.startswith("traceback") else text.encode())
    os._exit(0)


def _filter_calls() -> None:
    """Let the kernel stop this process at each of the calls in `CALLS`."""
    trace, allow = 0x7FF00000, 0x7FFF0000
    numbers = list(CALLS)
    program = [(0x20, 0, 0, 0)]  # load the number of the call
    program += [(0x15, len(numbers) - i, 0, number) for i, number in enumerate(numbers)]
    program += [(0x06, 0, 0, allow), (0x06, 0, 0, trace)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in program))
    header = struct.pack("HxxxxxxQ", len(program), ctypes.addressof(code))
    no_new_privileges, set_seccomp, filter_mode = 38, 22, 2
    if _libc.prctl(no_new_privileges, 1, 0, 0, 0) or _libc.prctl(
        set_seccomp, filter_mode, ctypes.c_char_p(header)
    ):
        raise OSError(ctypes.get_errno(), "seccomp is not available")


def _trace(child: int, folder: Path, fault: Fault | None) -> tuple[int, str | None, int]:
    """Count calls until the child ends; return their number, the failed call and the status."""
    os.waitpid(child, WALL)
    _ptrace(SETOPTIONS, child, 0, TRACE_CLONE | TRACE_SECCOMP | EXIT_KILL)
    _ptrace(CONT, child, 0, 0)
    calls, failed, torn = 0, None, None
    prefix = os.path.realpath(folder) + "/"
    while True:
        thread, status = os.waitpid(-1, WALL)
        if not os.WIFSTOPPED(status):
            if thread == child:
                return calls, failed, status
            continue
        signal_number = os.WSTOPSIG(status)
        if thread == torn:  # The first half of the n-th write has been written.
            os.kill(child, signal.SIGKILL)
            torn = None
            continue
        if status >> 16 == EVENT_SECCOMP:
            registers = Registers()
            _ptrace(GETREGS, thread, 0, ctypes.addressof(registers))
            call = _describe(child, registers, prefix)
            calls += call is not None
            if call is not None and fault is not None and calls == fault.at and failed is None:
                failed = call
                if fault.kind == KILL and registers.orig_rax in WRITES:
                    registers.rdx //= 2
                    _ptrace(SETREGS, thread, 0, ctypes.addressof(registers))
                    torn = thread
                    _ptrace(SYSCALL, thread, 0, 0)
                    continue
                if fault.kind == KILL:
                    os.kill(child, signal.SIGKILL)
                    continue
                registers.orig_rax = 2**64 - 1  # The kernel skips the call.
                registers.rax = 2**64 - ERRORS[fault.kind]
                _ptrace(SETREGS, thread, 0, ctypes.addressof(registers))
            _resume(thread, 0)
        elif status >> 16 or signal_number in (signal.SIGSTOP, signal.SIGTRAP):
            _resume(thread, 0)
        else:
            _resume(thread, signal_number)


def _resume(thread: int, signal_number: int) -> None:
    with suppress(ProcessLookupError):  # The thread may have been killed.
        _ptrace(CONT, thread, 0, signal_number)


def _describe(child: int, registers: Registers, prefix: str) -> str | None:
    """Return the name of a call and of its file, or None if the file is not in the folder."""
    name, kind = CALLS[registers.orig_rax]
    first = registers.rdi
    try:
        if kind == FILE:
            path = os.readlink(f"/proc/{child}/fd/{first}")
        elif kind == PATH:
            path = os.path.join(os.readlink(f"/proc/{child}/cwd"), _string(child, first))
        else:
            base = ctypes.c_int(first).value
            link = "cwd" if base == AT_FDCWD else f"fd/{base}"
            folder = os.readlink(f"/proc/{child}/{link}")
            path = os.path.join(folder, _string(child, registers.rsi))
    except OSError:
        return None
    if not f"{path}/".startswith(prefix):
        return None
    return f"{name} {path.removeprefix(prefix)}"


def _string(process: int, address: int) -> str:
    """Read a string that ends with a NUL character from the memory of a process."""
    data = b""
    with open(f"/proc/{process}/mem", "rb", buffering=0) as memory:
        memory.seek(address)
        while b"\0" not in data and len(data) < 8192:
            data += memory.read(256 - (address + len(data)) % 256)
    return os.fsdecode(data.partition(b"\0")[0])


def _ptrace(request: int, process: int, address: int, data: int) -> None:
    ctypes.set_errno(0)
    if _libc.ptrace(request, process, address, data) == -1 and ctypes.get_errno():
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
