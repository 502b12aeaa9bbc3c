"""The families of metrics that a monitor or a mesh serves, and how each is shown; a test compares both.

A query has OF for the selector of the targets chosen, and BY for the labels that name one.
"""

from __future__ import annotations

from dataclasses import dataclass

INTERVAL = "$__rate_interval"
PERCENTILES = ("50", "90", "95", "99", "99.9")


@dataclass(frozen=True)
class Query:
    """A query and the name of each of its series, in which NAME is that of the target."""

    expression: str
    legend: str


@dataclass(frozen=True)
class Family:
    """A family of metrics and its panel."""

    name: str
    kind: str
    """`counter`, `gauge`, `histogram` or `info`."""
    title: str
    """Of the panel."""
    unit: str
    """As Grafana names it."""
    queries: tuple[Query, ...]
    form: str = "timeseries"
    """Type of the panel."""
    about: str = ""


def _rate(name: str) -> str:
    return f"sum by (BY) (rate({name}{{OF}}[{INTERVAL}]))"


def _shares(name: str) -> tuple[Query, ...]:
    return (Query(f"{_rate(name)} / {_rate('sojourn_requests_total')}", "NAME"),)


FAMILIES = (
    Family("sojourn_target_up", "gauge", "Targets", "bool_on_off", (Query("sojourn_target_up{OF}", "NAME"),), "stat"),
    Family(
        "sojourn_alert_raised",
        "gauge",
        "Alerts raised",
        "none",
        (Query("sojourn_alert_raised{OF}", "NAME: {{condition}}"),),
        "state-timeline",
        "Conditions of [expect], with the hysteresis of the monitor.",
    ),
    Family(
        "sojourn_window_response_time_seconds",
        "gauge",
        "Response time of windows",
        "s",
        tuple(
            Query(f'sojourn_window_response_time_seconds{{OF,percentile="{percentile}"}}', f"p{percentile}")
            for percentile in PERCENTILES
        ),
        "smoke",
        "Median, and bands of percentiles; requests without a response count as longer than any.",
    ),
    Family(
        "sojourn_response_time_seconds",
        "histogram",
        "Distribution of response times",
        "s",
        (Query(f"sum by (le) (rate(sojourn_response_time_seconds_bucket{{OF}}[{INTERVAL}]))", "{{le}}"),),
        "heatmap",
    ),
    Family(
        "sojourn_requests_lost_total",
        "counter",
        "Loss",
        "percentunit",
        (
            Query(
                f"sum by (BY, direction) (rate(sojourn_requests_lost_total{{OF}}[{INTERVAL}])) / on (BY) group_left () "
                + _rate("sojourn_requests_total"),
                "NAME {{direction}}",
            ),
        ),
        about="Share of the requests without a response, by direction where the peer counts what arrives.",
    ),
    Family("sojourn_requests_late_total", "counter", "Late", "percentunit", _shares("sojourn_requests_late_total")),
    Family("sojourn_requests_total", "counter", "Requests", "reqps", (Query(_rate("sojourn_requests_total"), "NAME"),)),
    Family(
        "sojourn_requests_not_sent_total",
        "counter",
        "Not sent, after pauses of the host",
        "reqps",
        (Query(_rate("sojourn_requests_not_sent_total"), "NAME"),),
    ),
    Family(
        "sojourn_outage_time_seconds_total",
        "counter",
        "Time in outages",
        "percentunit",
        (Query(_rate("sojourn_outage_time_seconds_total"), "NAME"),),
        about="Share of the time without a response for a second or more.",
    ),
    Family(
        "sojourn_outages_total",
        "counter",
        "Outages in an hour",
        "none",
        (Query("increase(sojourn_outages_total{OF}[1h])", "NAME"),),
    ),
    Family(
        "sojourn_clock_offset_seconds",
        "gauge",
        "Clock of the peer less that of this host",
        "s",
        (Query("sojourn_clock_offset_seconds{OF}", "NAME"),),
    ),
    Family(
        "sojourn_clock_error_seconds",
        "gauge",
        "Error bound of the clock",
        "s",
        (Query("sojourn_clock_error_seconds{OF}", "NAME"),),
    ),
    Family(
        "sojourn_target_address",
        "gauge",
        "Addresses measured",
        "none",
        (Query("sojourn_target_address{OF} == 1", "NAME: {{address}}"),),
        "table",
    ),
    Family(
        "sojourn_windows_total",
        "counter",
        "Windows that ended",
        "none",
        (Query("increase(sojourn_windows_total{OF}[1h])", "NAME"),),
        about="In an hour. Fewer than there should be: the monitor does not run, or its host pauses.",
    ),
    Family(
        "sojourn_build_info", "info", "Build", "none", (Query("sojourn_build_info", "{{version}} {{commit}}"),), "table"
    ),
)
