"""Fitting parameters of a scenario to measured points.

Every evaluation simulates all points with the same seed, so that two evaluations differ in the parameters only; least
squares on the relative deviations finds the values, and the final Jacobian gives their confidence intervals.
"""

from sojourn.calibrate.calibration import Calibration, Residual, calibrate
from sojourn.calibrate.fit import Fit, Fitted
from sojourn.calibrate.parameter import Parameter
from sojourn.calibrate.profile import profile, write_profile

__all__ = ["Calibration", "Fit", "Fitted", "Parameter", "Residual", "calibrate", "profile", "write_profile"]
