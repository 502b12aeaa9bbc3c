"""`python -m sojourn.store`: loads what waits into the store, in the background of a command."""

import sys

from sojourn.errors import SojournError
from sojourn.store import settings
from sojourn.store.loading import load

place = settings.place()
try:
    if place is not None:
        load(place)
except SojournError as error:
    sys.exit(str(error))
