"""Where bytes come from: a file or standard input, gzipped or not, decoded with its place known.

Every complaint names the file and the line. Bytes are decoded in blocks, so a file of any size
takes the same memory, and an undecodable byte is named by its offset.
"""

from __future__ import annotations

import codecs
import gzip
import io
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from laconic.errors import LaconicError, ReadError

BLOCK = 1 << 20
HEAD = 1 << 16
GZIP_MAGIC = b"\x1f\x8b"


class Source:
    """A file, or standard input for ``-``; ``.gz`` is seen from the content, not from the name.

    Parameters
    ----------
    path : str or Path
        The file; ``"-"`` is standard input.
    encoding : str
        How its text is encoded; a byte order mark is left out.
    """

    def __init__(self, path: str | Path, encoding: str = "utf-8") -> None:
        self.path = None if str(path) == "-" else Path(path)
        self.name = "standard input" if self.path is None else str(path)
        self.encoding = checked_encoding(encoding)
        self._raw: io.BufferedReader | None = None  # of a stream, once it is open

    def error(self, line: int | None, problem: str) -> ReadError:
        """The error that names this source."""
        return ReadError(self.name, line, problem)

    def require(self) -> None:
        """Say what is missing, and what lies beside it under a similar name."""
        if self.path is None:
            return
        try:
            if self.path.exists():
                return
        except (OSError, ValueError):  # a name no file can have: far too long, or with a NUL
            pass
        raise self.error(None, _not_found(self.path))

    @property
    def is_stream(self) -> bool:
        """Whether the bytes can be read only once: standard input, or a pipe with a name."""
        return self.path is None or not (self.path.is_file() or self.path.is_dir())

    @property
    def bare_name(self) -> str:
        """File name in lower case, without ``.gz``."""
        return "" if self.path is None else self.path.name.lower().removesuffix(".gz")

    def plain_path(self) -> Path | None:
        """The path, when another library may open it: a file, not gzipped by name or content."""
        if self.path is None or self.is_stream or self.path.name.lower().endswith(".gz"):
            return None
        with self._open_raw() as file:
            return None if file.peek(2)[:2] == GZIP_MAGIC else self.path

    @contextmanager
    def open(self) -> Iterator[io.BufferedReader]:
        """The unzipped bytes; a stream is opened once and goes on where it stopped."""
        if not self.is_stream:
            with self._open_raw() as file:
                yield _unzipped(file)
            return
        if self._raw is None:
            self._raw = self._open_raw()
            self._unzipped = _unzipped(self._raw)
        yield self._unzipped

    def close(self) -> None:
        """Let go of a stream; standard input itself stays open."""
        if self._raw is not None:
            self._raw.close()

    def head(self) -> bytes:
        """The first bytes, unzipped, without using them up."""
        with self.open() as stream, self.naming_damage():
            return stream.peek(HEAD)[:HEAD]

    def blocks(self) -> Iterator[str]:
        """Decoded text, piece by piece."""
        decoder = codecs.getincrementaldecoder(self.encoding)()
        offset, line = 0, 1
        with self.open() as stream:
            raw = b" "
            while raw:
                with self.naming_damage(line):
                    raw = stream.read(BLOCK)
                pending = len(decoder.getstate()[0])
                try:
                    block = decoder.decode(raw, final=not raw)
                except UnicodeDecodeError as error:
                    raise self._undecodable(error, offset - pending, line) from error
                if offset == 0:
                    block = block.removeprefix("\ufeff")
                if "\0" in block:
                    raise self._binary(block, raw, offset, line)
                offset += len(raw)
                line += block.count("\n")
                yield block

    def lines(self, keepends: bool = False) -> Iterator[str]:
        """Lines that end at LF or CRLF; a newline at the very end starts no further line."""
        rest = ""
        for block in self.blocks():
            parts = (rest + block).split("\n")
            rest = parts.pop()
            for part in parts:
                yield part + "\n" if keepends else part.removesuffix("\r")
        if rest:
            yield rest if keepends else rest.removesuffix("\r")

    def text(self) -> str:
        """All of it."""
        return "".join(self.blocks())

    @contextmanager
    def naming_damage(self, line: int | None = None) -> Iterator[None]:
        """Turn the exceptions of damaged gzip data into one sentence."""
        try:
            yield
        except EOFError as error:
            problem = "the gzip data ends too early; the file was cut short, fetch it again"
            raise self.error(line, problem) from error
        except (gzip.BadGzipFile, zlib.error) as error:
            problem = f"the gzip data is damaged ({error}); fetch the file again"
            raise self.error(line, problem) from error
        except OSError as error:
            raise self.error(line, f"reading failed: {error.strerror or error}") from error

    def _open_raw(self) -> io.BufferedReader:
        if self.path is None:
            return io.BufferedReader(_StandardInput(), HEAD)
        try:
            return self.path.open("rb")
        except OSError as error:
            raise self.error(None, _why_not_opened(error, self.path)) from error

    def _undecodable(self, error: UnicodeDecodeError, start: int, line: int) -> ReadError:
        good = error.object[: error.start].decode(self.encoding, "replace")
        other = "utf-8" if self.encoding != "utf-8" else "latin-1"
        return self.error(
            line + good.count("\n"),
            f"byte 0x{error.object[error.start]:02x} at offset {start + error.start} is not "
            f"{self.encoding.upper()}; give the encoding of the file, "
            f'for example encoding="{other}"',
        )

    def _binary(self, block: str, raw: bytes, offset: int, line: int) -> ReadError:
        place = raw.find(b"\0") if "\n".encode(self.encoding) == b"\n" else -1
        where = f" at offset {offset + place}" if place >= 0 else ""
        return self.error(
            line + block[: block.index("\0")].count("\n"),
            f"byte 0x00{where}: this is binary data, not text; name another file, or the right "
            'format= or encoding= (files from Windows may be encoding="utf-16")',
        )


class _StandardInput(io.RawIOBase):
    """Standard input that stays open when its reader goes away."""

    def __init__(self) -> None:
        self._stream: Any = getattr(sys.stdin, "buffer", None)
        if self._stream is None:
            raise ReadError("standard input", None, "is not available here; name a file instead")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._stream.read1(len(buffer))
        buffer[: len(data)] = data
        return len(data)


def checked_encoding(encoding: str) -> str:
    """The encoding's usual name, or a sentence when Python knows none."""
    try:
        return codecs.lookup(encoding).name
    except LookupError as error:
        raise LaconicError(
            f"encoding={encoding!r} is not known; give one such as 'utf-8', 'latin-1' or 'utf-16'"
        ) from error


def _unzipped(stream: io.BufferedReader) -> io.BufferedReader:
    if stream.peek(2)[:2] != GZIP_MAGIC:
        return stream
    return io.BufferedReader(gzip.GzipFile(fileobj=stream), BLOCK)


def _why_not_opened(error: OSError, path: Path) -> str:
    if path.is_dir():
        return "is a folder, not a file; name a file in it, or leave format= out"
    return f"cannot be opened: {error.strerror or error}"


def _not_found(path: Path) -> str:
    name = str(path)
    if "\n" in name or len(path.name) > 255:
        return "a string is taken as the name of a file; give documents as a list of strings"
    folder = path.parent
    try:
        beside = sorted(entry.name for entry in folder.iterdir())
    except OSError:
        return f"no such file, and no folder {folder} either; check the path"
    near = get_close_matches(path.name, beside, n=1)
    hint = f"did you mean {near[0]}?" if near else "check the path"
    return f"no such file or folder; {hint}"
