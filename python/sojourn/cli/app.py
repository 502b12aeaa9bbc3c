"""The list of commands, in the order of first use."""

from __future__ import annotations

from typing import Annotated

import typer

from sojourn.cli import (
    agent,
    analyse,
    batch,
    bound,
    cache,
    calibrate,
    check,
    compare,
    find,
    history,
    keyed,
    listen,
    listing,
    measure,
    monitor,
    new,
    relay,
    report,
    risk,
    run,
    serve,
    study,
    sweep,
)
from sojourn.cli.panels import Commands

app = typer.Typer(
    cls=Commands,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)


def _version(wanted: bool) -> None:
    if wanted:
        from sojourn.bindings import call  # noqa: PLC0415

        typer.echo(f"sojourn {call('version')}")
        raise typer.Exit


@app.callback()
def sojourn(
    _: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and its commit.")
    ] = False,
) -> None:
    """A response-time laboratory for networks.

    Describe a network, its stations and their traffic in a scenario and simulate it, or measure a real network:
    response time, throughput and delay budget with 95 % confidence intervals.

    \b
    sojourn new lontalk -o site.toml       a commented scenario to start from
    sojourn run site.toml                  simulate it
    sojourn study lontalk-response-time    a published study, compared with its measurements

    Data goes to standard output, messages and progress to standard error. Exit code 0: success; 1: a point failed,
    an [expect] was missed or compare found a difference; 2: invalid input; 3: compare could not
    decide; 130: interrupted.
    """


app.command()(new.new)
app.command()(check.check)
app.command()(run.run)
app.command()(bound.bound)
app.command()(sweep.sweep)
app.command()(find.find)
app.command()(risk.risk)
app.command()(study.study)
app.command(cls=keyed.command(keyed.MEASURE, varies=True))(measure.measure)
app.command(cls=keyed.command(keyed.MONITOR))(monitor.monitor)
app.command(cls=keyed.command(keyed.AGENT))(agent.agent)
app.command(cls=keyed.command(keyed.LISTEN))(listen.listen)
app.command()(relay.relay)
app.command()(analyse.analyse)
app.command()(compare.compare)
app.add_typer(history.app, name="history")
app.command()(serve.serve)
app.command()(calibrate.calibrate)
app.command()(report.report)
app.command()(batch.batch)
app.add_typer(cache.cache, name="cache")
app.command()(listing.networks)
app.command()(listing.studies)
app.command()(listing.metrics)
app.command()(listing.schema)


def narrow(arguments: list[str]) -> None:
    """Leaves the one command that the arguments begin with, if they do: building all takes longer than many take."""
    asked = arguments[0] if arguments else ""
    commands = [one for one in app.registered_commands if one.callback is not None and one.callback.__name__ == asked]
    groups = [one for one in app.registered_groups if one.name == asked]
    if commands or groups:
        app.registered_commands, app.registered_groups = commands, groups
