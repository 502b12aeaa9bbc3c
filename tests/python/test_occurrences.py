"""How often a rare event occurs, in words."""

from typing import Any

from sojourn.occurrences import of_risk

HOUR = 3600.0
YEAR = 8760 * HOUR


def risk(equivalent_time: float) -> dict[str, Any]:
    """An event 20 times a year, found by splitting in 80 h of simulation and 20 h of pilots."""
    level = {"from": 0, "copies": 1, "entered": 0, "share": 1.0, "effort": 0.5, "occurrences": 5}
    return {
        "condition": "queue_length > 15",
        "rate": 20 / YEAR,
        "ci95": [15 / YEAR, 25 / YEAR],
        "mean_time": YEAR / 20,
        "probability": None,
        "share_of_time": None,
        "method": "splitting",
        "importance": "queue_length",
        "replications": 10,
        "replications_with_occurrence": 10,
        "simulated_time": 80 * HOUR,
        "pilot_time": 20 * HOUR,
        "equivalent_time": equivalent_time,
        "levels": [level, level | {"from": 8, "copies": 4, "entered": 90}],
    }


def simulated(equivalent_time: float) -> str:
    return next(line.strip() for line in of_risk(risk(equivalent_time)).splitlines() if "simulated:" in line)


def test_the_time_that_splitting_saves_counts_its_pilots() -> None:
    assert simulated(1000 * HOUR).endswith("and 20 h of pilots; without splitting 41.7 days, 10 times as much")


def test_splitting_that_takes_longer_than_runs_without_it_is_reported_to_save_nothing() -> None:
    assert simulated(55 * HOUR).endswith(
        "0.55 times as much: splitting saves nothing here, with the pilots that place its levels"
    )
