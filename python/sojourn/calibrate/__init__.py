"""Fitting parameters of a scenario to measured points.

Every evaluation simulates all points anew with the same seed, so that two evaluations differ by the parameters alone;
least squares on the relative deviations finds the values, and the Jacobian at the end says how well they are known.
"""

from sojourn.calibrate.calibration import Calibration, Residual, calibrate
from sojourn.calibrate.fit import Fit, Fitted
from sojourn.calibrate.parameter import Parameter
from sojourn.calibrate.profile import profile, write_profile

__all__ = ["Calibration", "Fit", "Fitted", "Parameter", "Residual", "calibrate", "profile", "write_profile"]
