"""``laconic verify``: check that saved models and corpora are not damaged."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from laconic.cli import messages
from laconic.cli.options import Sectioned, debug_option, json_option
from laconic.cli.tables import printable, show_json


@click.command(cls=Sectioned)
@click.argument("paths", metavar="MODEL|STORE...", nargs=-1, required=True)
@json_option
@debug_option
@click.pass_context
def verify(ctx: click.Context, paths: tuple[str, ...], as_json: bool) -> None:
    """Check that saved models and corpora are not damaged.

    MODEL is a saved model, STORE is a corpus that 'laconic convert' wrote. The checksum of every
    file is compared with the manifest of the folder, and all contents are checked. If a file is
    damaged, a line on standard error says which, and the exit status is 1.

    Checksums detect damage, not forgery: whoever changes a file can also change its checksum.

    \b
    laconic verify posts.model
    laconic verify *.model posts.corpus --json
    """
    from laconic.saving.verify import check_folder

    results: list[dict[str, Any]] = []
    for path in paths:
        verified, problems = check_folder(path)
        facts = {"path": path} if verified is None else asdict(verified)
        results.append({**facts, "problems": [str(error) for error in problems]})
        if verified is not None and not as_json:
            click.echo(printable(str(verified)))
        for error in problems:
            messages.report(error, {})
    if as_json:
        show_json({"folders": results})
    if any(result["problems"] for result in results):
        ctx.exit(1)
