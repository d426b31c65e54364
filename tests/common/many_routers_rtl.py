"""The hardware of one design that holds routers of all systems, two of them in two sizes."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.rtl.common.instance import place
from cubecast.rtl.crosspoint.router import CrosspointRouter
from cubecast.rtl.multicast.router import Router
from cubecast.rtl.packet.router import PacketRouter
from tests.common.many_routers import AnyConfig, configs_of

__all__ = ["KINDS", "ManyRouters"]

KINDS: dict[type[AnyConfig], Any] = {Config: Router, PacketConfig: PacketRouter, CrosspointConfig: CrosspointRouter}
"""Hardware of a router, by its configuration."""


class ManyRouters(wiring.Component):
    """All routers side by side, each with the ports that it has alone, behind its name."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self._kinds = {name: (KINDS[type(each)], each) for name, each in configs_of(config).items()}
        super().__init__({name: Out(kind(each).signature) for name, (kind, each) in self._kinds.items()})

    def elaborate(self, platform: Any) -> Module:
        """Place and connect them."""
        m = Module()
        for name, (kind, each) in self._kinds.items():
            router = place(m, name, kind, each)
            signature = self.signature.members[name].signature
            outer, inner = (signature.flatten(ports) for ports in (getattr(self, name), router))
            for (_, member, mine), (_, _, its) in zip(outer, inner, strict=True):
                m.d.comb += its.eq(mine) if member.flow == In else mine.eq(its)
        return m
