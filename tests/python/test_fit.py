"""Least squares on functions with known solutions: values, intervals, and indistinguishable parameters."""

import math

import pytest

from sojourn.calibrate.fit import fit
from sojourn.calibrate.parameter import Parameter
from sojourn.errors import UserError


def parameter(key: str, start: float, low: float | None = 0.0, high: float | None = None) -> Parameter:
    return Parameter(key, "s", "s", start, low, high)


def student(_probability: float, freedom: int) -> float:
    return {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776}[freedom]


SIZES = (8.0, 64.0, 512.0, 4096.0)
FIXED, PER_BYTE = parameter("fixed", 1e-3), parameter("per_byte", 1e-6)


def line(values):
    fixed, per_byte = values
    return [fixed + per_byte * size for size in SIZES]


def test_a_line_through_exact_points_is_found_exactly() -> None:
    found = fit([FIXED, PER_BYTE], line([2.7e-3, 1.15e-6]), line, quantile=student)

    assert [fitted.value for fitted in found.fitted] == pytest.approx([2.7e-3, 1.15e-6], rel=1e-6)
    assert all(fitted.half_width < 1e-6 * fitted.value for fitted in found.fitted)
    assert found.converged
    assert not found.inseparable


def test_deviations_are_weighted_by_the_measured_numbers() -> None:
    """One level through 1 and 2: relative weights give (1 + 1/2) / (1 + 1/4) = 1.2, equal ones would give 1.5."""
    found = fit([parameter("level", 1.0)], [1.0, 2.0], lambda values: [values[0], values[0]], quantile=student)

    assert found.fitted[0].value == pytest.approx(1.2, rel=1e-4)


def test_the_interval_is_the_one_of_the_textbook() -> None:
    """The mean of 0.9, 1.0, 1.1, 1.0 (nearly equal weights): half width t * s / sqrt(4)."""
    measured = [0.999, 1.0, 1.001, 1.0]
    found = fit([parameter("level", 1.0)], measured, lambda values: [values[0]] * 4, quantile=student)

    deviation = math.sqrt(2e-6 / 3)
    assert found.fitted[0].half_width == pytest.approx(3.182 * deviation / 2, rel=0.01)


def test_two_costs_that_act_only_as_a_sum_cannot_be_distinguished() -> None:
    def total(values):
        sender, receiver, per_byte = values
        return [sender + receiver + per_byte * size for size in SIZES]

    keys = [parameter("sender", 1e-3), parameter("receiver", 1e-3), PER_BYTE]
    found = fit(keys, total([1.4e-3, 1.3e-3, 1.15e-6]), total, quantile=student)

    assert found.inseparable == [["sender", "receiver"]]
    assert [fitted.half_width is None for fitted in found.fitted] == [True, True, False]
    assert found.fitted[0].value + found.fitted[1].value == pytest.approx(2.7e-3, rel=1e-5)
    assert found.correlation[0][1] == pytest.approx(-1.0, abs=1e-3)


def test_a_parameter_without_effect_is_named_and_stays_where_it_was() -> None:
    idle = parameter("idle", 5.0)
    found = fit([parameter("level", 2.0), idle], [1.0, 1.0, 1.0], lambda values: [values[0]] * 3, quantile=student)

    assert found.without_effect == ["idle"]
    assert found.fitted[1].value == pytest.approx(5.0)
    assert found.fitted[1].half_width is None


def test_a_value_that_would_leave_its_range_ends_on_the_bound() -> None:
    found = fit([parameter("level", 1.0, 0.0, 1.5)], [2.0, 2.0], lambda values: [values[0]] * 2, quantile=student)

    assert found.fitted[0].value == pytest.approx(1.5, rel=1e-3)
    assert found.fitted[0].at_bound


def test_a_step_function_can_be_fitted() -> None:
    """A clock that reads in ticks makes the model flat between them: small moves would see no slope at all."""

    def ticking(values):
        return [round(number / 5e-6) * 5e-6 for number in line(values)]

    found = fit([FIXED, PER_BYTE], line([2.7e-3, 1.15e-6]), ticking, quantile=student)

    assert found.fitted[0].value == pytest.approx(2.7e-3, rel=0.01)
    assert found.fitted[1].value == pytest.approx(1.15e-6, rel=0.02)


def test_as_many_parameters_as_points_are_refused() -> None:
    with pytest.raises(UserError, match="2 points do not determine 2 parameters"):
        fit([FIXED, PER_BYTE], [1.0, 1.0], list, quantile=student)
