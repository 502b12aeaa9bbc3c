"""The first screen of a run, a sweep or a search: what answers it, and one table of what is looked at first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from sojourn import headlines, phrases, requirements, resources
from sojourn.answers.bottleneck import shares_of_packet_rate_limits
from sojourn.cli import controlled, first_points, output, simulate, summary
from sojourn.cli.output import filled, table
from sojourn.units import format_value, percent, percent_lost

if TYPE_CHECKING:
    from sojourn.jobs import Outcome
    from sojourn.point import Metric, Point
    from sojourn.results import Results

MOST_ROWS = 8
MOST_FLOWS = 3
"""Most rows of times: the flows that are probed, or the members of one."""
MOST_PARTS = 3
"""Most components of the delay budget."""
LEAST_PART = 0.05
"""Share of the delay budget from which a component is named."""
LEAST_SUSTAINED = 0.01
"""Share of the rate that a channel can sustain from which it is given."""
LEAST_QUEUED = 0.05
"""Mean queue length from which there is a queue to look at."""
HALF = 0.5
"""Load from which the busiest resource has a line of its own."""
QUANTILES = ("p50", "p95", "p99")
TIMES = ("response_time", "one_way_delay", "transaction_time", "poll_cycle", "token_rotation")
LOOKED_AT = (
    "mos",
    "play_out_loss",
    "play_out_delay",
    "voice_channels",
    "loss",
    "failures",
    "transaction_failures",
    "fifo_underflow",
    "fifo_overflow",
    "buffer_overflows",
    "transaction_rate",
    "throughput",
    "collision_rate",
    "retries",
    "retransmissions",
    "drops",
    "queue_length",
)
"""Other quantities of the whole network, in the order in which they are looked at."""
Judged = Sequence[tuple[str, str]]


def of_run(results: Results, judged: Judged) -> str:
    """What stands below the answer of a run: its table, where the time goes, and what saturates first."""
    point = results.points[0]
    quantities = _quantities(point, judged)
    lines = [filled(line) for line in (_where_time_goes(point), _busiest(point), controlled.of_points([point])) if line]
    return "\n\n".join(part for part in (quantities, "\n".join([*lines, _how_often(results, point)])) if part)


def _how_often(results: Results, point: Point) -> str:
    """What was simulated, in one line: "10 runs of 600 s after 60 s of warm-up, seed 1; ..."."""
    count = int(point.raw["replications"])
    after = f" after {format_value(point.raw['warm_up'], 's')} of warm-up" if point.raw["warm_up"] else ""
    runs = f"{count} {'run' if count == 1 else 'runs'} of {format_value(point.raw['duration'], 's')}{after}"
    if point.raw.get("decided_by") == "budget":
        runs += " (the budget: --budget EVENTS)"
    sure = "± and ranges are 95 % intervals" if count > 1 else "one run has no intervals"
    return filled(f"{runs}, seed {results.raw['seed']}; {sure}")


def _quantities(point: Point, judged: Judged) -> str:
    """Times with their percentiles, then values: at most eight rows, those of requirements among them."""
    metrics = _chosen(point, judged)
    times = [metric for metric in metrics if metric.is_distribution]
    values = [metric for metric in metrics if not metric.is_distribution]
    lossy = any(metric.failed_share for metric in times)
    quantiles = list(QUANTILES) if times else []
    while True:
        rows = [_time(metric, quantiles, lossy=lossy) for metric in times]
        rows += [[metric.name, summary.central(metric), *[""] * (len(quantiles) + lossy)] for metric in values]
        head = ["quantity", "mean" if times else "value", *quantiles, *(["failed"] if lossy else [])]
        widths = [max(map(len, column)) + 2 for column in zip(head, *rows, strict=True)]
        if sum(widths) - 2 <= output.width() or len(quantiles) < len(QUANTILES) - 1:
            break
        quantiles.pop(0)
    notes = ["* fewer than ten effective samples beyond it"] if any("*" in cell for row in rows for cell in row) else []
    if any(metric.is_count for metric in values) and int(point.raw["replications"]) > 1:
        notes.append("counts are totals of all runs")
    if lossy:
        notes.append("means are of those delivered")
    return "\n".join([table(rows, head), *([filled("; ".join(notes))] if notes else [])]) if rows else ""


def _time(metric: Metric, quantiles: Sequence[str], *, lossy: bool) -> list[str]:
    cells = [_percentile(metric, field) for field in quantiles]
    lost = [percent_lost(metric.failed_share, digits=1) if metric.failed_share else ""] if lossy else []
    return [metric.name, summary.central(metric), *cells, *lost]


def _percentile(metric: Metric, field: str) -> str:
    """A percentile without its interval, which the whole table has."""
    if field in metric.not_reached:
        return "not reached"
    return format_value(metric.field(field), metric.unit) + ("*" if field in metric.weak else "")


def _chosen(point: Point, judged: Judged) -> list[Metric]:
    """The metrics of the table: times by flow, then what is judged, what is lost or rated, and the busiest resource."""
    found: dict[str, Metric] = {metric.name: metric for metric in _times(point)}
    wanted = [name for name, _ in judged]
    others = [*wanted, *(name for name in LOOKED_AT if name not in wanted)]
    busiest = _most_used(point)
    for name in others:
        metric = point.get(name)
        if metric is None or name in found or (name not in wanted and not _is_seen(metric)):
            continue
        if any(name == one.name.partition("/")[0] for one in found.values()):
            continue
        found[name] = metric
    required = {name for name in found if name in wanted}
    room = MOST_ROWS - (busiest is not None) - len(required)
    free = [name for name in found if name not in required][: max(0, room)]
    kept = [metric for name, metric in found.items() if name in required or name in free]
    return [*kept, *([busiest] if busiest is not None and busiest not in kept else [])]


def _is_seen(metric: Metric) -> bool:
    """Whether there is something to look at: no zero, and no queue that is as good as empty."""
    return bool(metric.mean) and (metric.name != "queue_length" or (metric.mean or 0.0) >= LEAST_QUEUED)


def _times(point: Point) -> list[Metric]:
    """The times of what is probed: of each flow where there are several, else of all."""
    found: list[Metric] = []
    metrics = point.metrics
    for name in TIMES:
        whole = metrics.get(name)
        if whole is None or not (whole.applies or whole.undelivered) or not whole.is_distribution:
            continue
        every = {full: one for full, one in metrics.items() if full.startswith(f"{name}/") and full.count("/") == 1}
        flows = [every[full] for full in sorted(every, key=phrases.natural) if every[full].is_distribution]
        flows = [one for one in flows if one.applies or one.undelivered]
        found += flows if 1 <= len(flows) <= MOST_FLOWS else [whole]
    return found


def _most_used(point: Point) -> Metric | None:
    """The utilisation of the resource that is busiest, be it a medium or a processor."""
    first = next(iter(resources.of_point(point)), None)
    station = first.name.removeprefix("processor of ") if first is not None else ""
    if first is not None and station != first.name and (own := point.get(f"processor_utilisation/{station}")):
        return own
    members = [metric for metric in point.members("utilisation").values() if metric.mean]
    whole = point.get("utilisation")
    return max(members, key=lambda metric: metric.mean or 0.0, default=whole if whole and whole.mean else None)


def _where_time_goes(point: Point) -> str:
    """ "where the time goes: retransmission 31 %, waiting for medium 16 %; of the slowest 1 %: retransmission 92 %"."""
    shares, of_slowest = (_shares(point, of) for of in ("share", "slowest_share"))
    if not any(share for _, share in shares):
        return ""
    said = _largest(shares)
    slowest, most = max(of_slowest, key=itemgetter(1))
    behind = f"; of the slowest 1 %: {_part(slowest, most)}" if most else ""
    return f"where the time goes: {said}{behind}"


def _shares(point: Point, of: str) -> list[tuple[str, float]]:
    return [(name, point[f"delay_budget/{name}"].field(of) or 0.0) for name in point.components]


def _largest(shares: list[tuple[str, float]]) -> str:
    named = [row for row in sorted(shares, key=lambda row: -row[1]) if row[1] >= LEAST_PART][:MOST_PARTS]
    said = [_part(name, share) for name, share in named]
    rest = sum(share for _, share in shares) - sum(share for _, share in named)
    return ", ".join([*said, *([f"others {percent(rest)}"] if rest >= LEAST_PART else [])])


def _part(name: str, share: float) -> str:
    return f"{phrases.component(name)} {percent(share)}"


def _busiest(point: Point) -> str:
    """What saturates first, where that is near or where a limit is known."""
    if said := summary.busiest_channel(point):
        return said if max(shares_of_packet_rate_limits(point).values()) >= LEAST_SUSTAINED else ""
    most = resources.of_point(point)
    return resources.bottleneck(point, budget=False) if most and most[0].load >= HALF else ""


def run(outcome: Outcome, results: Results) -> None:
    """Prints the first screen of a run: its answer, the verdicts, the table, notes, and what else there is."""
    row = requirements.first(outcome.verdicts)
    for sentence in headlines.of_run(results, outcome.verdicts, simulate.elapsed_s(outcome)):
        output.data(filled(sentence))
    output.verdicts(outcome, said=str(row["text"]) if row else "")
    output.data(f"\n{of_run(results, simulate.judged(outcome))}")
    output.warnings(outcome)
    output.print_message(_more(results.points[0], simulate.judged(outcome)))


def _more(point: Point, judged: Judged) -> str:
    """ "--all: 14 other metrics, and 161 of stations, media and flows"."""
    shown = {metric.name for metric in _chosen(point, judged)}
    names = [name for name, metric in point.metrics.items() if metric.applies and name not in shown]
    members = sum("/" in name for name in names)
    whole = len(names) - members
    of_members = f", and {members} of stations, media and flows" if members else ""
    return f"--all: {whole} other {'metric' if whole == 1 else 'metrics'}{of_members}"


def sweep(outcome: Outcome, results: Results) -> None:
    """Prints the first screen of a sweep: its answer, the verdicts, one table, notes, and what else there is."""
    row = requirements.first(outcome.verdicts)
    said = headlines.of_sweep(results, outcome.verdicts)
    for sentence in said:
        output.data(filled(sentence))
    output.verdicts(outcome, said=str(row["text"]) if row and said else "")
    output.data(("\n" if said else "") + first_points.of_sweep(results, simulate.judged(outcome), outcome.verdicts))
    output.warnings(outcome, each=False)
    output.print_message("--all: every column")


def search(outcome: Outcome, answer: Mapping[str, Any]) -> None:
    """Prints the first screen of a search: its answer, the values nearest to the limit, notes, what else there is."""
    question = answer.get("question") if answer.get("asked") else None
    said = [filled(line, "  " if question else "") for line in headlines.of_search(answer)]
    output.data("\n".join([*([str(question)] if question else []), *said]))
    if answer.get("trials"):
        output.data(f"\n{first_points.of_search(answer)}")
    output.warnings(outcome, each=False)
    output.print_message("--all: every value that was tried, and every column")
