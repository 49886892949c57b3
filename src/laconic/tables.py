"""Tables as plain text, for terminals, and as HTML, for notebooks."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Sequence
from html import escape
from itertools import zip_longest
from typing import Literal, NamedTuple

CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
GAP = "  "  # space between two columns
WIDTH = 100  # width in characters if the output is not a terminal

Cell = str | Sequence[str]  # a text of one or more lines, or a list whose items are never split


class Column(NamedTuple):
    """Column of a table."""

    heading: str
    side: Literal["left", "right"] = "left"
    wraps: bool = False  # whether long cells continue on further lines


def printable(text: str) -> str:
    """Replace control characters, which could move the cursor or end a line, with spaces."""
    return CONTROL.sub(" ", text)


def text_table(
    columns: Sequence[Column], rows: Sequence[Sequence[Cell]], width: int | None = None
) -> str:
    """Return a table as plain text, at most `width` characters wide if its words allow it.

    Parameters
    ----------
    columns : sequence of Column
    rows : sequence of sequences of str or list of str
        The cells of each row. In a column that wraps, a list is joined with commas and broken only
        between two items; a text is broken only between two words.
    width : int, optional
        By default, the width of the terminal.

    Examples
    --------
    >>> columns = [Column("topic", "right"), Column("words", wraps=True)]
    >>> print(text_table(columns, [["0", ["cat", "dog", "emu"]], ["1", ["fish"]]], width=16))
    topic  words
        0  cat, dog,
           emu
        1  fish
    """
    from rich.cells import cell_len  # the width of Chinese characters is two

    def pad(text: str, size: int, side: str) -> str:
        space = " " * (size - cell_len(text))
        return space + text if side == "right" else text + space

    table = [
        [_lines(cell, column.wraps) for cell, column in zip(row, columns, strict=True)]
        for row in rows
    ]
    widths = [cell_len(column.heading) for column in columns]
    least = list(widths)
    for row in table:
        for i, lines in enumerate(row):
            widths[i] = max(widths[i], *(cell_len(" ".join(pieces)) for pieces in lines))
            least[i] = max(least[i], *(cell_len(piece) for pieces in lines for piece in pieces))
    excess = sum(widths) + len(GAP) * (len(columns) - 1) - (width or _terminal_width())
    while excess > 0 and widths != least:  # shorten the widest column that may still be shortened
        i = max((i for i in range(len(widths)) if widths[i] > least[i]), key=widths.__getitem__)
        others = [w for j, w in enumerate(widths) if j != i and w > least[j]]
        shorter = max(least[i], widths[i] - excess, min(widths[i] - 1, max(others, default=0)))
        excess -= widths[i] - shorter
        widths[i] = shorter
    texts = [GAP.join(pad(c.heading, w, c.side) for c, w in zip(columns, widths, strict=True))]
    for row in table:
        cells = [
            [part for pieces in lines for part in _wrap(pieces, w, cell_len)]
            for lines, w in zip(row, widths, strict=True)
        ]
        for parts in zip_longest(*cells, fillvalue=""):
            padded = (pad(t, w, c.side) for t, w, c in zip(parts, widths, columns, strict=True))
            texts.append(GAP.join(padded))
    return "\n".join(text.rstrip() for text in texts)


def html_table(
    columns: Sequence[Column], rows: Sequence[Sequence[Cell]], notes: Sequence[str] = ()
) -> str:
    """Return a table as HTML that takes its colours from the page, with `notes` below the table.

    Examples
    --------
    >>> print(html_table([Column("words")], [[["<b>", "cat"]]]))
    <table style="border-collapse:collapse"><thead><tr><th style="text-align:left">words</th></tr>\
</thead><tbody>
    <tr><td style="text-align:left;vertical-align:top">&lt;b&gt;, cat</td></tr>
    </tbody></table>
    """
    heads = "".join(
        f'<th style="text-align:{column.side}">{escape(column.heading)}</th>' for column in columns
    )
    lines = [
        f'<table style="border-collapse:collapse"><thead><tr>{heads}</tr></thead><tbody>',
        *(
            "<tr>"
            + "".join(
                f'<td style="text-align:{column.side};vertical-align:top">'
                f"{'<br>'.join(escape(' '.join(line)) for line in _lines(cell, True))}</td>"
                for column, cell in zip(columns, row, strict=True)
            )
            + "</tr>"
            for row in rows
        ),
        "</tbody></table>",
        *(f'<p style="font-size:smaller">{escape(note)}</p>' for note in notes),
    ]
    return "\n".join(lines)


def _terminal_width() -> int:
    return shutil.get_terminal_size((WIDTH, 24)).columns


def _lines(cell: Cell, wraps: bool) -> list[list[str]]:
    """Return the parts of each line of a cell that are never split."""
    if not isinstance(cell, str):
        items = [printable(item) for item in cell]
        return [[*(f"{item}," for item in items[:-1]), *items[-1:]] or [""]]
    lines = cell.split("\n") if wraps else [cell]
    return [(printable(line).split() if wraps else [printable(line)]) or [""] for line in lines]


def _wrap(pieces: list[str], width: int, length: Callable[[str], int]) -> list[str]:
    lines = [""]
    for piece in pieces:
        longer = f"{lines[-1]} {piece}" if lines[-1] else piece
        if lines[-1] and length(longer) > width:
            lines.append(piece)
        else:
            lines[-1] = longer
    return lines
