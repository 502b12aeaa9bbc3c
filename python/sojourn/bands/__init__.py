"""The band that holds the next measurement 95 % of the time, of a scenario whose profile `calibrate` has fitted.

Parameters are drawn from the fit's Gaussian, and a measurement is simulated with each: one replication, which has the
sampling error of a measurement of that length. The fit's discrepancy is added. The confidence interval of a mean stays.
"""

from sojourn.bands.band import DRAWS, band_key, with_band
from sojourn.bands.draws import Draw
from sojourn.bands.fitted import Gaussian, of_scenario, of_study
from sojourn.bands.published import Held, held

__all__ = ["DRAWS", "Draw", "Gaussian", "Held", "band_key", "held", "of_scenario", "of_study", "with_band"]
