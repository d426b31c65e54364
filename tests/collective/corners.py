"""Configurations for the testbenches of the collectives: the default, and the corners of the parameter space."""

from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.multicast.contract.config import Config

__all__ = ["CORNERS"]

CORNERS = {
    "default": CollectiveConfig(router=Config(dim=3)),
    "n2": CollectiveConfig(router=Config(dim=2, max_data=5), max_vector=12, max_relays=2),
    # A vector of one word.
    "one_word": CollectiveConfig(router=Config(dim=3, max_data=4), max_vector=1, max_relays=1),
    # Nothing is relayed, nothing is counted for the host.
    "no_relays": CollectiveConfig(router=Config(dim=3, max_data=6, counters=0), max_vector=10, max_relays=0),
    # Every word travels alone.
    "single": CollectiveConfig(router=Config(dim=3, max_data=3), max_vector=7, max_relays=3),
    "source": CollectiveConfig(router=Config(dim=3, max_data=6, source_field=True), max_vector=9, max_relays=2),
    "fault_free": CollectiveConfig(router=Config(dim=3, max_data=5, fault_tolerant=False), max_vector=6, max_relays=2),
    # The narrowest words that hold the header's fields, and the narrowest counters.
    "narrow": CollectiveConfig(router=Config(dim=3, width=16, max_data=4, counters=8), max_vector=5, max_relays=2),
    "ordered": CollectiveConfig(router=Config(dim=3, policy="ordered", max_data=7), max_vector=20, max_relays=16),
    "block": CollectiveConfig(router=Config(dim=2, max_data=5, memories="block"), max_vector=12, max_relays=2),
    "n4": CollectiveConfig(router=Config(dim=4, width=20, max_data=5), max_vector=16, max_relays=16),
}
"""Name to configuration."""
