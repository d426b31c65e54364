"""What ``cubecast load`` has to know of a system: its load network, and how traffic becomes settings of it."""

from __future__ import annotations

import dataclasses
import importlib
from typing import Any

from cubecast.golden.common.contract.load import LoadShape

__all__ = ["ENGINES", "SATURATED", "STEP", "ZERO_LOAD", "Loads", "Window"]

ENGINES = ("rtl", "verilator", "golden")
"""What can be run: the RTL in the bit-parallel engine, the RTL as Verilator translates it, the golden network."""

STEP = 100
"""Cycles between two readings of the counters; a window is made of such steps."""

SATURATED = 1.0
"""Offered load of the point of saturation: a word per node and cycle, more than can be taken."""

ZERO_LOAD = 0.01
"""Offered load at which hardly a word meets another."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Window:
    """For how long a point is run.

    Parameters
    ----------
    warmup : int
        Cycles before the window; most of them if they are found.
    found : bool
        The warm-up's end is found: where the mean latency of all messages after it is known best.
    cycles : int
        Cycles of the window.
    tail : int
        Cycles after it in which messages still arrive.
    """

    warmup: int
    found: bool
    cycles: int
    tail: int

    @property
    def whole(self) -> int:
        """Cycles in which messages arrive."""
        return self.warmup + self.cycles + self.tail


@dataclasses.dataclass(frozen=True, kw_only=True)
class Loads:
    """A network with a load node at every router.

    Its nodes have the ports of a load node (``rtl/common/load_node.py``) but those of packets, ``control`` and
    ``report``, and the network has them as vectors.

    Parameters
    ----------
    node, network : str
        ``"package.module:Class"`` in ``rtl/``: a router with its load node, and a cube of them.
    twin : str
        The same in ``golden/``, of the network.
    policies : tuple of str
        Words of ``--policy`` for the ways of messages to one node, the default first; none: the router has one way.
    place : str
        Module of :attr:`model`.
    box : str
        Unit of the router of which there are several; the bit-parallel simulation evaluates them together. Empty: none.
    joins : bool
        The nodes have join units, too, and the ports ``own``, ``result`` and ``reduction``. Traffic and settings are
        those of the system that it is built on; it is taken where reductions are among the traffic.
    recorder : str
        With join units, ``"package.module:Class"`` in ``tb/``, what records a run; else the playback does.
    """

    node: str
    network: str
    twin: str
    policies: tuple[str, ...]
    place: str
    box: str = ""
    joins: bool = False
    recorder: str = ""

    def shape(self, config: Any) -> LoadShape:
        """Return what the load nodes are made for."""
        found: LoadShape = self.model.load_shape(config.router if self.joins else config)
        return found

    @property
    def model(self) -> Any:
        """``check``, ``load_shape``, ``node_settings``, ``traced``, ``in_order`` and ``packets``.

        As those of :mod:`cubecast.golden.crosspoint.algorithms.load`; imported when asked for, with NumPy.
        """
        return importlib.import_module(self.place)
