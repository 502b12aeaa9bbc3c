"""`export`: a document as what other tools read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sojourn.cli.options import Overwrite
from sojourn.errors import UserError


def export(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A document of `sojourn monitor` or `sojourn mesh`.")],
    grafana: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a dashboard of Grafana here, over Prometheus.")
    ] = None,
    prometheus_rules: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write alert rules of Prometheus here, from its conditions.")
    ] = None,
    expect: Annotated[
        list[str] | None,
        typer.Option(metavar="CONDITION", help="A further condition, as the monitor is given it. Repeatable."),
    ] = None,
    overwrite: Overwrite = False,
) -> None:
    """Writes the dashboard and the alert rules of a monitor.

    \b
    sojourn export monitor.toml --grafana dashboard.json --prometheus-rules rules.yml
    """
    import json  # noqa: PLC0415

    from sojourn.cli.output import print_message  # noqa: PLC0415
    from sojourn.overwriting import refuse_file  # noqa: PLC0415
    from sojourn.prometheus import dashboard, rules  # noqa: PLC0415
    from sojourn.scenario import Scenario  # noqa: PLC0415

    if grafana is None and prometheus_rules is None:
        raise UserError("say what to write: --grafana FILE, --prometheus-rules FILE")
    scenario = Scenario(file)
    scenario.check()
    mesh = rules.is_mesh(file)
    texts: list[tuple[Path, str]] = []
    if grafana is not None:
        found = dashboard.dashboard(f"Sojourn: {file.stem}", mesh=mesh)
        texts.append((grafana, json.dumps(found, indent=1, ensure_ascii=False) + "\n"))
    if prometheus_rules is not None:
        texts.append((prometheus_rules, rules.rules(rules.conditions(file, expect or ()), mesh=mesh)))
    for out, _ in texts:
        refuse_file(out, overwrite=overwrite)
    for out, text in texts:
        out.write_text(text, encoding="utf-8")
        print_message(f"wrote {out}")
