"""Network of crosspoint nodes: a hypercube of routers with adapters."""

from cubecast.golden.adapter.contract.config import AdapterConfig
from cubecast.rtl.adapter.node import AdapterNode, signature
from cubecast.rtl.common.cube import Cube

__all__ = ["AdapterNetwork"]


class AdapterNetwork(Cube):
    """2**n crosspoint nodes wired as a :class:`Cube`, whose ports are those of :class:`AdapterNode`, packed.

    Parameters
    ----------
    config : AdapterConfig
        Parameters of the nodes.
    probe : bool
        Also bring out the links.
    """

    def __init__(self, config: AdapterConfig, *, probe: bool = False):
        payload = ("first", "source", "path", "ordinal", "more")
        super().__init__(AdapterNode, signature(config), config, probe=probe, payload=payload)
