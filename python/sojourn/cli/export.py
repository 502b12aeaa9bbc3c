"""`export`: a document as what other tools read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sojourn.cli.options import Overwrite, Set
from sojourn.errors import UserError

if TYPE_CHECKING:
    from sojourn.scenario import Scenario


def export(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A scenario, or a document of `monitor` or `mesh`.")],
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
    netem: Annotated[
        bool, typer.Option("--netem", help="Links as a script of tc: netem, token buckets, CoDel, FQ-CoDel.")
    ] = False,
    mahimahi: Annotated[
        bool, typer.Option("--mahimahi", help="The path of the probe as traces and shells of Mahimahi, into --out.")
    ] = False,
    containerlab: Annotated[
        bool, typer.Option("--containerlab", help="A lab of containerlab: its topology, or with --out all scripts.")
    ] = False,
    netlab: Annotated[
        bool, typer.Option("--netlab", help="A lab of netlab: its topology, or with --out all scripts.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder for the files; standard output by default.")
    ] = None,
    set_: Set = None,
    overwrite: Overwrite = False,
) -> None:
    """Writes the dashboard and the alert rules of a monitor, or a scenario's links for emulators and labs.

    Links are those of a scenario of kind `ip`. What a tool cannot express is a comment in what is written for it.

    \b
    sojourn export monitor.toml --grafana dashboard.json --prometheus-rules rules.yml
    sojourn export home.toml --netem
    sojourn export home.toml --mahimahi --out path
    sojourn export home.toml --containerlab --out lab
    sojourn export home.toml --netlab --out lab
    """
    from sojourn.scenario import Scenario  # noqa: PLC0415

    tools = {"netem": netem, "mahimahi": mahimahi, "containerlab": containerlab, "netlab": netlab}
    wanted = [name for name, is_wanted in tools.items() if is_wanted]
    of_monitor = grafana is not None or prometheus_rules is not None
    _refuse_combinations(wanted, out, of_monitor=of_monitor)
    scenario = Scenario(file, set_ or ())
    scenario.check()
    if wanted:
        _lab(scenario, wanted[0], out, overwrite=overwrite)
    else:
        texts = _monitor(file, grafana, prometheus_rules, expect or ())
        _write(texts, overwrite=overwrite)


def _refuse_combinations(wanted: Sequence[str], out: Path | None, *, of_monitor: bool) -> None:
    """One kind of thing is written at a time."""
    if not wanted and not of_monitor:
        raise UserError(
            "say what to write: --grafana FILE, --prometheus-rules FILE, --netem, --mahimahi, --containerlab, --netlab"
        )
    if len(wanted) > 1 or (wanted and of_monitor):
        raise UserError(f"--{wanted[0]} is written alone: export each by itself")
    if out is not None and not wanted:
        raise UserError("--out is for --netem, --mahimahi, --containerlab and --netlab")
    if wanted == ["mahimahi"] and out is None:
        raise UserError("--mahimahi writes several files: say where, as --out path")


def _monitor(
    file: Path, grafana: Path | None, rules_file: Path | None, expect: Sequence[str]
) -> list[tuple[Path, str]]:
    """The dashboard and the alert rules of a monitor."""
    import json  # noqa: PLC0415

    from sojourn.prometheus import dashboard, rules  # noqa: PLC0415

    mesh = rules.is_mesh(file)
    texts: list[tuple[Path, str]] = []
    if grafana is not None:
        found = dashboard.dashboard(f"Sojourn: {file.stem}", mesh=mesh)
        texts.append((grafana, json.dumps(found, indent=1, ensure_ascii=False) + "\n"))
    if rules_file is not None:
        texts.append((rules_file, rules.rules(rules.conditions(file, expect), mesh=mesh)))
    return texts


def _lab(scenario: Scenario, tool: str, out: Path | None, *, overwrite: bool) -> None:
    """What an emulator or a lab reads, into a folder or on standard output."""
    from sojourn.cli.output import data  # noqa: PLC0415
    from sojourn.labs import containerlab, mahimahi, netem, netlab, network_of  # noqa: PLC0415

    network, title = network_of(scenario), scenario.path.name
    name = containerlab.lab_name(scenario.path)
    if out is None:
        texts = {
            "netem": lambda: netem.script(network, title),
            "containerlab": lambda: containerlab.topology(network, name),
            "netlab": lambda: netlab.topology(network, name),
        }
        data(texts[tool]().rstrip("\n"))
        return
    whole, beside = _whole(scenario)
    files = {
        "netem": lambda: {"netem.sh": netem.script(network, title)},
        "mahimahi": lambda: mahimahi.files(network, title),
        "containerlab": lambda: containerlab.files(network, name, whole),
        "netlab": lambda: netlab.files(network, name, whole),
    }
    named = files[tool]() | (beside if tool in ("containerlab", "netlab") else {})
    written = [(out / file, text) for file, text in named.items()]
    _write(written, overwrite=overwrite)
    for path, _ in written:
        if path.suffix == ".sh":
            path.chmod(0o755)


def _whole(scenario: Scenario) -> tuple[str, dict[str, str]]:
    """The full form of a scenario, which names its files by whole paths, with their names alone; and their texts."""
    import json  # noqa: PLC0415

    from sojourn.reading import text_of  # noqa: PLC0415

    text = scenario.expanded()
    beside: dict[str, str] = {}
    files = (scenario.document() or {}).get("files")
    for name in files if isinstance(files, dict) else ():
        path = Path.cwd() / scenario.path.parent / name
        if json.dumps(str(path)) in text:
            text = text.replace(json.dumps(str(path)), json.dumps(path.name))
            beside[path.name] = text_of(path)
    return text, beside


def _write(texts: Sequence[tuple[Path, str]], *, overwrite: bool) -> None:
    from sojourn.cli.output import print_message  # noqa: PLC0415
    from sojourn.overwriting import refuse_file  # noqa: PLC0415

    for path, _ in texts:
        refuse_file(path, overwrite=overwrite)
    for path, text in texts:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        print_message(f"wrote {path}")
