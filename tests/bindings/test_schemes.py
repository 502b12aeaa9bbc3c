"""The help of live commands lists the transports that the extension registers."""

import json

from sojourn import _sojourn
from sojourn.cli.options import HOSTS, RADIO, SERVICES


def test_the_urls_in_the_help_are_those_of_the_registered_transports() -> None:
    registered = {transport["scheme"] for transport in json.loads(_sojourn.transports())}
    assert {url.split("://", 1)[0] for url in (*HOSTS, *SERVICES, *RADIO)} == registered
