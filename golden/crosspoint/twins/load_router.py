"""Load router: a crosspoint router with a load node at its ports."""

from __future__ import annotations

from typing import Any

from cubecast.golden.common.twins.load_router import AnyLoadRouter, LoadPort
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.load import load_shape
from cubecast.golden.crosspoint.twins.router import CrosspointRouter

__all__ = ["LoadRouter"]


class LoadRouter(AnyLoadRouter):
    """Twin of the load router.

    Parameters
    ----------
    config : CrosspointConfig
        Parameters of the router.
    router : twin, optional
        The router, if it is another one than a crosspoint router alone.
    """

    def __init__(self, config: CrosspointConfig, router: Any = None) -> None:
        """Start in reset."""
        super().__init__(load_shape(config), router or CrosspointRouter(config), LoadPort())
