"""Unzip and decode files and standard input, and report errors with the file and line.

Bytes are decoded in blocks, so memory use does not depend on the size of the file. If a byte cannot
be decoded, the error message gives the offset of the byte.
"""

from __future__ import annotations

import codecs
import gzip
import io
import os
import re
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from laconic.errors import LaconicError, ReadError
from laconic.files.leftovers import clean_up
from laconic.io.columns import quoted

BLOCK = 1 << 20  # number of bytes decoded at once
HEAD = 1 << 16  # maximum number of bytes inspected to detect the format
LONGEST_LINE = 100_000_000  # number of characters; a longer line is no document
# Gzipped data that expands more than this, and to more than this number of bytes, is not read,
# because a small file could fill the memory.
EXPANSION, EXPANDED = 200, 1 << 22
WHOLE = 1 << 30  # maximum size in bytes of gzipped data that must be in memory as a whole
GZIP_MAGIC = b"\x1f\x8b"
# Encodings that a byte order mark shows; the mark of UTF-32 starts like the mark of UTF-16.
MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
URL = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]+:/")


class Source:
    """A file, or standard input if the path is ``-``; gzip is detected from the content.

    Parameters
    ----------
    path : str or Path
        Path of the file, or ``"-"`` for standard input.
    encoding : str
        Encoding of the text. A byte order mark at the start is removed. If the encoding is UTF-8
        but the byte order mark is that of UTF-16 or UTF-32, that encoding is used.
    """

    def __init__(self, path: str | Path, encoding: str = "utf-8") -> None:
        self.path = None if str(path) == "-" else Path(path)
        self.name = "standard input" if self.path is None else str(path)
        self._encoding = checked_encoding(encoding)
        self._marked = False  # whether the byte order mark has been looked for
        self._raw: io.BufferedReader | None = None  # None until a stream is opened

    def error(self, line: int | None, problem: str) -> ReadError:
        """Return a ReadError that names this source."""
        return ReadError(self.name, line, problem)

    def require(self) -> None:
        """Raise if the path does not exist; the error suggests a file with a similar name."""
        if self.path is None:
            return
        if URL.match(self.name):
            raise self.error(
                None, "is a URL, but laconic reads files; download it first, and pass the file"
            )
        with suppress(OSError, ValueError):  # The name is too long or contains a NUL character.
            if not self.path.exists():  # A killed process may have moved the folder aside.
                clean_up(Path(os.path.realpath(self.path)))
            if self.path.exists():
                return
        if _looks_like_text(self.path):
            raise ReadError(
                None,
                None,
                f"there is no file {quoted(self.name)}; a string is read as the name of a file, so "
                "pass documents as a list of strings, and a single text as [text]",
            )
        raise self.error(None, _not_found(self.path))

    @property
    def encoding(self) -> str:
        """The encoding of the text, which a byte order mark may determine."""
        if self._encoding != "utf-8" or self._marked:
            return self._encoding
        start = self.head()[:4]
        marked = (name for mark, name in MARKS.items() if start.startswith(mark))
        self._encoding = next(marked, self._encoding)
        self._marked = True
        return self._encoding

    @property
    def is_stream(self) -> bool:
        """Whether the bytes can be read only once, as from standard input or a named pipe."""
        return self.path is None or not (self.path.is_file() or self.path.is_dir())

    @property
    def bare_name(self) -> str:
        """File name in lower case, without the extension ``.gz``."""
        return "" if self.path is None else self.path.name.lower().removesuffix(".gz")

    def plain_path(self) -> Path | None:
        """Return the path if it is a file that a library can open without unzipping, else None."""
        if self.path is None or self.is_stream or self.path.name.lower().endswith(".gz"):
            return None
        with self._open_raw() as file:
            return None if file.peek(2)[:2] == GZIP_MAGIC else self.path

    @contextmanager
    def open(self) -> Iterator[io.BufferedReader]:
        """Open the unzipped bytes; a stream is opened once, and later calls continue to read it."""
        if not self.is_stream:
            with self._open_raw() as file:
                yield self._unzip(file)
            return
        if self._raw is None:
            self._raw = self._open_raw()
            self._unzipped = self._unzip(self._raw)
        yield self._unzipped

    def close(self) -> None:
        """Close the stream, but leave standard input itself open."""
        if self._raw is not None:
            self._raw.close()

    def head(self) -> bytes:
        """Return the first unzipped bytes without consuming them."""
        with self.open() as stream, self.read_errors():
            return stream.peek(HEAD)[:HEAD]

    def head_text(self) -> str:
        """Return the first characters, without a byte order mark."""
        return self.head().decode(self.encoding, "ignore").removeprefix("\ufeff")

    def blocks(self) -> Iterator[str]:
        """Yield the decoded text in blocks."""
        decoder = codecs.getincrementaldecoder(self.encoding)()
        offset, line = 0, 1
        with self.open() as stream:
            raw = b" "
            while raw:
                with self.read_errors(line):
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
        """Split the text at LF or CRLF, and yield the lines; a final newline starts no new line."""
        number, length = 1, 0
        start: list[str] = []  # the parts of a line that continues in the next block
        for block in self.blocks():
            parts = block.split("\n")
            length += len(parts[0])
            if length > LONGEST_LINE:
                raise self.error(
                    number,
                    f"the line has more than {LONGEST_LINE:,} characters, so it is not one "
                    "document; split it into lines, or set format=",
                )
            start.append(parts.pop(0))
            if not parts:
                continue
            for part in ("".join(start), *parts[:-1]):
                yield part + "\n" if keepends else part.removesuffix("\r")
            number += len(parts)
            start, length = [parts[-1]], len(parts[-1])
        if rest := "".join(start):
            yield rest if keepends else rest.removesuffix("\r")

    def text(self) -> str:
        """Return the whole decoded text."""
        blocks: list[str] = []
        size = 0
        for block in self.blocks():
            blocks.append(block)
            size += len(block)
            self._check_whole(size)
        return "".join(blocks)

    def data(self) -> bytes:
        """Return all unzipped bytes, for a format that cannot be read in parts."""
        with self.open() as stream, self.read_errors():
            blocks = [stream.read(BLOCK)]
            size = len(blocks[0])
            while blocks[-1]:
                self._check_whole(size)
                blocks.append(stream.read(BLOCK))
                size += len(blocks[-1])
        return b"".join(blocks)

    def _check_whole(self, size: int) -> None:
        if size > WHOLE and self.plain_path() is None:
            raise self.error(
                None,
                f"contains more than {WHOLE >> 30} GB, which must be in memory as a whole; save "
                "it as a file that is not gzipped, and read that file",
            )

    @contextmanager
    def read_errors(self, line: int | None = None) -> Iterator[None]:
        """Convert exceptions raised by gzip or the operating system to ReadError."""
        try:
            yield
        except EOFError as error:
            problem = "the gzip data ends too early, so the file is incomplete; download it again"
            raise self.error(line, problem) from error
        except (gzip.BadGzipFile, zlib.error) as error:
            problem = f"the gzip data is damaged ({error}); download the file again"
            raise self.error(line, problem) from error
        except OSError as error:
            raise self.error(line, f"cannot be read: {error.strerror or error}") from error

    def _unzip(self, stream: io.BufferedReader) -> io.BufferedReader:
        if stream.peek(2)[:2] != GZIP_MAGIC:
            return stream
        return io.BufferedReader(_Unzipped(stream, self), BLOCK)

    def _open_raw(self) -> io.BufferedReader:
        if self.path is None:
            return io.BufferedReader(_StandardInput(), HEAD)
        try:
            return self.path.open("rb")
        except OSError as error:
            raise self.error(None, _open_problem(error, self.path)) from error

    def _undecodable(self, error: UnicodeDecodeError, start: int, line: int) -> ReadError:
        before = error.object[: error.start].decode(self.encoding, "replace")
        other = "utf-8" if self.encoding != "utf-8" else "latin-1"
        return self.error(
            line + before.count("\n"),
            f"byte 0x{error.object[error.start]:02x} at offset {start + error.start} is not valid "
            f"{self.encoding.upper()}; set the encoding of the file, "
            f'for example encoding="{other}"',
        )

    def _binary(self, block: str, raw: bytes, offset: int, line: int) -> ReadError:
        position = raw.find(b"\0") if "\n".encode(self.encoding) == b"\n" else -1
        where = f" at offset {offset + position}" if position >= 0 else ""
        return self.error(
            line + block[: block.index("\0")].count("\n"),
            f"byte 0x00{where} shows that this is binary data, not {self.encoding.upper()} text; "
            "set "
            'format= or encoding= (many files from Windows need encoding="utf-16"), or use another '
            "file",
        )


class _StandardInput(io.RawIOBase):
    """Raw stream of standard input; closing this stream does not close standard input."""

    def __init__(self) -> None:
        self._stream: Any = getattr(sys.stdin, "buffer", None)
        if self._stream is None:
            raise ReadError("standard input", None, "is not available; pass the path of a file")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._stream.read1(len(buffer))
        buffer[: len(data)] = data
        return len(data)


def checked_encoding(encoding: str) -> str:
    """Return Python's name for an encoding; raise if Python does not know the encoding."""
    try:
        return codecs.lookup(encoding).name
    except LookupError as error:
        raise LaconicError(
            f"encoding={encoding!r} is not a known encoding; use 'utf-8', 'latin-1', 'utf-16' or "
            "another encoding that Python supports"
        ) from error


class _Unzipped(io.RawIOBase):
    """Unzipped bytes of a stream; raises if a small file expands to a very large one."""

    def __init__(self, stream: io.BufferedReader, source: Source) -> None:
        self._source = source
        self._stream = stream
        self._n_read = self._n_unzipped = 0
        self._file = gzip.GzipFile(fileobj=self)

    def read(self, size: int | None = -1) -> bytes:
        """Read zipped bytes; called by the GzipFile."""
        data = self._stream.read(size)
        self._n_read += len(data)
        return data

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        """Read unzipped bytes."""
        n_bytes = self._file.readinto(buffer)
        self._n_unzipped += n_bytes
        if self._n_unzipped > max(EXPANDED, EXPANSION * self._n_read):
            raise self._source.error(
                None,
                f"the gzip data expands more than {EXPANSION}-fold, as if made to fill the memory; "
                "if you trust the file, unzip it first, for example with gunzip",
            )
        return n_bytes


def _open_problem(error: OSError, path: Path) -> str:
    if path.is_dir():
        return "is a folder, not a file; pass a file, or omit format= to read the folder"
    return f"cannot be opened: {error.strerror or error}"


def _looks_like_text(path: Path) -> bool:
    name = str(path)
    is_phrase = len(name.split()) > 2 and (" " in path.suffix or len(path.suffix) < 2)
    return "\n" in name or len(path.name) > 255 or is_phrase


def _not_found(path: Path) -> str:
    folder = path.parent
    try:
        siblings = sorted(entry.name for entry in folder.iterdir())
    except OSError:
        return f"no such file, because there is no folder {folder}; check the path"
    near = get_close_matches(path.name, siblings, n=1)
    hint = f"did you mean {near[0]}?" if near else "check the path"
    return f"no such file or folder; {hint}"
