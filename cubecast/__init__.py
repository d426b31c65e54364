"""Hypercube interconnect hardware that multicasts: routers as Verilog, their golden model, and what measures them.

In Python, ``import cubecast as cc``::

    cc.Cube(3).neighbours(5)                               # nodes, links, distances
    cc.route(3, 0, [1, 6, 7], faults=[2])                  # the tree of a message
    cc.route_packets(cc.CrosspointConfig(dim=3), 0, [1])   # its packets on the crosspoint router
    cc.simulate(cc.MulticastConfig(dim=3), messages)       # messages on the RTL network
    cc.load(cc.CrosspointConfig(dim=4))                    # latency and throughput against load
    cc.reduce(3, values, "max", faulty_links=[(0, 4)])     # a global merge around faults
    cc.ring(4, [0, 3, 5, 10])                              # a ring without contention
    cc.generate("router", cc.MulticastConfig(dim=3))       # Verilog and what goes with it
    cc.columns(result.deliveries)                          # results as columns of a table

``help(cc.simulate)`` tells the rest. These names are stable; all others may change from one release to the next.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cubecast.api import *  # noqa: F403

__version__ = "0.1.0"

LICENSE = "BSD-2-Clause"
"""SPDX identifier of the licence, of what is generated too."""


def __getattr__(name: str) -> Any:
    """Return a name of the API, which is loaded when it is first asked for: the command line starts without it."""
    if name == "__all__" or (not name.startswith("_") and name in __dir__()):
        api = importlib.import_module("cubecast.api")
        return ["LICENSE", "__version__", *api.__all__] if name == "__all__" else getattr(api, name)
    raise AttributeError(f"module 'cubecast' has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return all names, those of the API too."""
    return sorted({*globals(), *importlib.import_module("cubecast.api").__all__})
