"""`python -m sojourn.store`: loads what waits into the store and keeps it bounded, in the background of a command."""

import sys

from sojourn.errors import SojournError
from sojourn.store import settings
from sojourn.store.loading import load
from sojourn.store.retention import apply_configured

place = settings.place()
try:
    if place is not None:
        load(place)
        apply_configured(place)
except SojournError as error:
    sys.exit(str(error))
