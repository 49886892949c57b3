"""``laconic plan``: estimate time, memory and disk space of a fit."""

from __future__ import annotations

from typing import Any

import click

from laconic.cli import messages
from laconic.cli.model_options import MODEL_OPTIONS, make_model
from laconic.cli.options import Sectioned, debug_option, json_option, options, set_options
from laconic.cli.param_types import MODEL_NAME, POSITIVE_FLOAT, POSITIVE_INT, RegistryChoice
from laconic.cli.tables import show_json

EVERYDAY = ("name", "n_components", "workers", "network", "as_json")


@click.command(cls=Sectioned, everyday=EVERYDAY)
@click.argument("store", metavar="STORE")
@click.option(
    "-m",
    "--model",
    "name",
    type=MODEL_NAME,
    default="sc",
    show_default=True,
    help="Model: sc, slsa, plsa, sctm, stc, medstc or pcp.",
)
@click.option(
    "--workers",
    type=POSITIVE_INT,
    default=8,
    show_default=True,
    help="Number of workers of a cluster, which are compared with this machine.",
)
@click.option(
    "--network",
    type=POSITIVE_FLOAT,
    default=10,
    show_default=True,
    help="Speed of the network between the workers, in gigabits per second.",
)
@options(MODEL_OPTIONS)
@click.option(
    "--weighting",
    type=RegistryChoice("laconic.weighting:SCHEMES", "name"),
    help="Weighting of the counts.  [default: depends on the model]",
)
@json_option
@debug_option
def plan(
    store: str,
    name: str,
    workers: int,
    network: float,
    weighting: str | None,
    as_json: bool,
    **values: Any,
) -> None:
    """Estimate time, memory and disk space of a fit.

    STORE is a corpus that 'laconic convert' wrote. The model is fitted to a few chunks of STORE,
    which takes about 10 seconds, and the measurements are extrapolated to all documents, on the
    cores of this machine and on a cluster. The output says which part of the fit takes longest. The
    options of the model are those of 'laconic fit'.

    \b
    laconic plan posts.corpus -m slsa -k 100
    laconic plan posts.corpus -m plsa -k 50 --workers 32 --json
    """
    model = make_model(name, weighting, set_options(values, MODEL_OPTIONS), 0)
    from laconic.planning.plan import plan as estimate

    with messages.working("Measuring a sample"):
        found = estimate(store, model, workers=workers, network=network)
    if as_json:
        show_json(found.to_dict())
    else:
        click.echo(str(found))
