"""Labs as code: a scenario as what emulators and lab tools read, and their topologies as scenarios."""

from sojourn.labs import containerlab, mahimahi, netem, netlab
from sojourn.labs.network import Network, network_of

__all__ = ["Network", "containerlab", "mahimahi", "netem", "netlab", "network_of"]
