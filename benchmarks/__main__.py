"""Command line of the benchmarks, with the commands list, run, check, guard and report."""

from __future__ import annotations

import sys
from itertools import chain
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from benchmarks.checking import differences, rerun, tolerance
from benchmarks.data import MissingDataError
from benchmarks.guard import slower
from benchmarks.harness import RESULTS, Run, commit, execute, is_committed, show, write
from benchmarks.papers.page import benchmark_names
from benchmarks.pictures import draw_all
from benchmarks.registry import BENCHMARKS
from benchmarks.report import read_results, write_pages

GROUPS = {"papers": benchmark_names(), "all": list(BENCHMARKS)}
TABLE_WIDTH = 150  # minimum width of a table in characters, so that rows are not wrapped in a file


@click.group()
def main() -> None:
    """Compare laconic with other libraries."""


@main.command("list")
def list_benchmarks() -> None:
    """List the benchmarks."""
    for name, benchmark in BENCHMARKS.items():
        click.echo(f"{name:26}{(benchmark.__doc__ or '').strip().splitlines()[0]}")


@main.command()
@click.argument("name", type=click.Choice([*BENCHMARKS, *GROUPS]), metavar="NAME|papers|all")
@click.option("--missing", is_flag=True, help="Skip what has a result from committed code.")
@click.option("--resume", is_flag=True, help="Skip what has a result from the current commit.")
@click.option("--smoke", is_flag=True, help="Run on tiny synthetic data and write nothing.")
@click.option("--full", is_flag=True, help="Include the parts that take very long.")
@click.option("--seed", default=0, show_default=True)
@click.option("--out", type=click.Path(path_type=Path), help="Folder to write the results to.")
def run(
    name: str,
    missing: bool,
    resume: bool,
    smoke: bool,
    full: bool,
    seed: int,
    out: Path | None,
) -> None:
    """Run a benchmark and write its result to benchmarks/results/NAME.json.

    `papers` runs all benchmarks behind docs/papers.md. With --resume, an interrupted run continues
    with the benchmark where it stopped.
    """
    skipped = False
    current = commit()
    done = {
        one["name"]
        for one in read_results(out or RESULTS)
        if is_committed(one) and (missing or (resume and one["commit"] == current))
    }
    for chosen in GROUPS.get(name, [name]):
        if chosen in done:
            continue
        settings = Run(chosen, smoke=smoke, full=full, seed=seed)
        flags = " --full" * full + f" --seed {seed}" * (seed != 0) + " --smoke" * smoke
        try:
            result = execute(
                BENCHMARKS[chosen], settings, f"python -m benchmarks run {chosen}{flags}"
            )
        except MissingDataError as missing:
            click.echo(f"{chosen}: {missing}", err=True)
            skipped = True
            continue
        console = Console()
        console.width = max(console.width, TABLE_WIDTH)
        console.print(table(settings))
        folder = out or (None if smoke else RESULTS)
        if folder is not None:
            click.echo(f"Written to {write(result, folder)}.", err=True)
    if skipped:
        sys.exit(2)


@main.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME|papers|all...")
@click.option(
    "--results",
    type=click.Path(path_type=Path),
    default=RESULTS,
    help="Folder of the results.",
)
def check(names: tuple[str, ...], results: Path) -> None:
    """Run benchmarks again and compare them with the committed results.

    `papers` checks all benchmarks behind docs/papers.md. Prints the rows that differ by more than
    their tolerance. If any row differs, the exit code is 1. Times are not compared.
    """
    committed = {result["name"]: result for result in read_results(results)}
    failed = False
    for name in chain.from_iterable(GROUPS.get(name, [name]) for name in names):
        if name not in committed or name not in BENCHMARKS:
            raise click.UsageError(
                f"Benchmark {name} has no result in {results}; see python -m benchmarks list"
            )
        try:
            problems = differences(committed[name], rerun(committed[name], BENCHMARKS[name]))
        except MissingDataError as missing:
            problems = [str(missing)]
        failed = failed or bool(problems)
        compared = sum(tolerance(row) is not None for row in committed[name]["rows"])
        of = f"{compared} of {len(committed[name]['rows'])} rows compared, the rest are times"
        click.echo(f"{name}: {'differs' if problems else 'as committed'} ({of})")
        for problem in problems:
            click.echo(f"  {problem}")
    sys.exit(1 if failed else 0)


@main.command()
def guard() -> None:
    """Measure small ratios of speed; fail if one has fallen by a third since it was committed.

    Takes a few minutes and needs a quiet machine. `run guard` writes new reference values.
    """
    (committed,) = (result for result in read_results(RESULTS) if result["name"] == "guard")
    measured = execute(BENCHMARKS["guard"], Run("guard"))
    problems = slower(committed, measured)
    for problem in problems:
        click.echo(problem)
    click.echo(f"{len(committed['rows'])} ratios, {len(problems)} of them worse")
    sys.exit(1 if problems else 0)


@main.command()
def report() -> None:
    """Write the pages of results in docs/ and their charts from the committed results."""
    results = read_results(RESULTS)
    if not results:
        click.echo("There are no results yet; run a benchmark first.", err=True)
        sys.exit(2)
    drawn = draw_all({result["name"]: result for result in results})
    written = write_pages(results)
    click.echo(f"Wrote {len(written)} pages and {len(drawn)} charts.", err=True)


def table(finished: Run) -> Table:
    """Return the rows of a run as a table for the terminal."""
    drawn = Table(title=finished.name)
    for heading in ("what", "value", "peer", "peer's", "ratio", "goal", "met"):
        right = heading in ("value", "peer's", "ratio")
        drawn.add_column(heading, justify="right" if right else "left")
    for row in finished.rows:
        drawn.add_row(
            row.what,
            f"{show(row.value)} {row.unit}".strip(),
            row.peer or "",
            show(row.peer_value),
            show(row.ratio),
            row.goal or "",
            "" if row.met is None else "yes" if row.met else "no",
        )
    return drawn


if __name__ == "__main__":
    main(prog_name="python -m benchmarks")
