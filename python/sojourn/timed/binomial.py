"""The interval of a quantile from order statistics: how many of `n` independent samples lie at or below it is binomial.

Counts need not be whole: correlated samples count as fewer (`sojourn.timed.dependence`), and the binomial distribution
is continued by the regularised incomplete beta function (DiCiccio and Romano, 1988; Korn and Graubard, 1998).
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp, inf, lgamma, log, log1p

STEPS = 200
"""Most terms of the continued fraction, which converges in some ten."""
SMALLEST = 1e-300
EXACT = 1e-12


def beta(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function I_x(a, b), by its continued fraction (NIST DLMF 8.17.22)."""
    if x <= 0 or b <= 0:
        return 0.0
    if x >= 1 or a <= 0:
        return 1.0
    if x > (a + 1) / (a + b + 2):
        return 1 - beta(1 - x, b, a)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)) / a
    return front * _fraction(x, a, b)


def _fraction(x: float, a: float, b: float) -> float:
    """The continued fraction, evaluated by Lentz's method."""
    c, d = 1.0, 1 / _kept(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            c, d = _kept(1 + term / c), 1 / _kept(1 + term * d)
            value *= c * d
        if abs(c * d - 1) < EXACT:
            break
    return value


def _kept(value: float) -> float:
    return value if abs(value) > SMALLEST else SMALLEST


def low_share(n: float, p: float, alpha: float) -> float:
    """The share of samples below which the quantile `p` lies with a probability of at most `alpha`; 0 if it may be
    below all of them."""
    # P(at most u of n are at or below the quantile) rises with u
    return _solved(lambda u: beta(1 - p, n - u, u + 1), n, alpha) / n


def high_share(n: float, p: float, alpha: float) -> float:
    """The share of samples above which the quantile `p` lies with a probability of at most `alpha`; infinite if it may
    be above all of them."""
    if n * log(p) > log(alpha):
        return inf
    # P(at least u of n are at or below the quantile) falls with u
    return (n - _solved(lambda v: beta(p, n - v, v + 1), n, alpha)) / n


def independent_samples(p: float, alpha: float) -> float:
    """How many independent samples bound the quantile `p` from above, if none exceeds the bound."""
    return log(alpha) / log(p)


def _solved(rising: Callable[[float], float], n: float, alpha: float) -> float:
    low, high = 0.0, n
    if rising(low) > alpha:
        return 0.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if rising(middle) <= alpha else (low, middle)
    return low
