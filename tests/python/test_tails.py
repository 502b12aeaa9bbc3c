import pytest

from sojourn import tails

KNOWN = {
    "metric": "response_time",
    "unit": "s",
    "probability": 1e-6,
    "quantile": 0.0276,
    "ci95": [0.0271, 0.0284],
    "method": "order statistics",
    "samples": 42_000_000,
    "effective_beyond": 17.3,
    "needed_replications": None,
    "why": None,
}


def test_an_extreme_quantile_comes_with_its_interval_and_the_samples_beyond_it() -> None:
    assert tails.sentence(KNOWN) == (
        "p99.9999 of response time: 27.6 (27.1 to 28.4) ms; "
        "17 independent samples of 42000000 beyond it (order statistics)"
    )


def test_a_quantile_that_is_not_known_says_what_it_would_take() -> None:
    unknown = KNOWN | {"quantile": None, "ci95": [0.02, None], "needed_replications": 55, "why": "few samples"}
    assert tails.sentence(unknown) == (
        "p99.9999 of response time: not known (at least 20 ms): few samples; about 55 replications would do"
    )


@pytest.mark.parametrize(
    ("probability", "percentile"), [(1e-6, "99.9999"), (0.001, "99.9"), (0.5, "50"), (2.5e-5, "99.9975")]
)
def test_a_share_is_named_by_its_percentile(probability: float, percentile: str) -> None:
    assert tails.percentile(probability) == percentile
