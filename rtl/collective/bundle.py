"""Bundles of ports between the units of a collective unit, as signatures."""

from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.collective.contract.bundles import bundle
from cubecast.golden.collective.contract.config import CollectiveConfig

__all__ = ["Bundle"]


class Bundle(wiring.Signature):
    """A bundle, as the unit sees it that gives it.

    Parameters
    ----------
    config : CollectiveConfig
        Parameters of the node.
    name : str
        Its name in ``golden/collective/contract/bundles.py``.
    """

    def __init__(self, config: CollectiveConfig, name: str):
        forth, back = bundle(config, name)
        super().__init__({n: Out(bits) for n, bits in forth.items()} | {n: In(bits) for n, bits in back.items()})
