"""Testbench of one design that holds routers of all systems, two of them in two sizes, with a message through each."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from random import Random
from typing import Any

from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.twins.router import CrosspointRouter
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.contract.message import encode
from cubecast.golden.multicast.twins.router import Router
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.twins.router import PacketRouter
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH", "AnyConfig", "ManyRouters", "configs_of"]

AnyConfig = Config | PacketConfig | CrosspointConfig
"""Configuration of a router of any system."""

TWINS: dict[type[AnyConfig], Any] = {Config: Router, PacketConfig: PacketRouter, CrosspointConfig: CrosspointRouter}
"""Twin of a router, by its configuration."""

PAYLOAD = 0x5A
"""Last word of every message, by which it is known where it leaves."""

CLOCKS = 200
"""Enough for a message to go through a router."""


def configs_of(config: Config) -> dict[str, AnyConfig]:
    """Return the configurations of all routers: those of ``config.dim``, and of two systems of one dimension more.

    They are small: what a large router takes of compilers says nothing about names.
    """
    dims = (config.dim, config.dim + 1)
    few = {"max_dest": 2, "max_list": 2, "max_data": 2, "log_depth": 1, "counters": 8}
    small = CrosspointConfig(dim=config.dim, width=8, depth=8, eject_depth=8, log_depth=1, counters=8)
    return {
        **{f"multicast_{n}": Config(dim=n, **few) for n in dims},
        **{f"packet_{n}": PacketConfig(dim=n, rows=2, max_words=4) for n in dims},
        f"crosspoint_{config.dim}": small,
    }


class ManyRouters:
    """Twins of all routers side by side."""

    def __init__(self, config: Config) -> None:
        """Start in reset."""
        self.routers = {name: TWINS[type(each)](each) for name, each in configs_of(config).items()}

    def step(self, inputs: Mapping[str, int]) -> dict[str, int | None]:
        """Return this cycle's outputs and take the edge."""
        outputs = {}
        for name, router in self.routers.items():
            mine = {key.removeprefix(f"{name}__"): value for key, value in inputs.items() if key.startswith(name)}
            found = router.step(mine | {"rst": inputs["rst"]})
            outputs |= {f"{name}__{key}": value for key, value in found.items()}
        return outputs


def _words(config: AnyConfig) -> list[int]:
    """Return the words of a message from node 0 to node 1; what says so may stand beside them."""
    if isinstance(config, Config):
        return list(encode(config, 0, [1], [PAYLOAD]))
    return [1, PAYLOAD]


def stimulus(random: Random, config: Config) -> Generator[dict[str, int], Mapping[str, Any], None]:
    """Inject a message at every router, and take what comes."""
    change: dict[str, int] = {}
    waiting = {}
    for name, each in configs_of(config).items():
        waiting[name] = _words(each)
        change[f"{name}__eject__ready"] = 1
        lanes = (1 << each.lanes) - 1 if isinstance(each, Config) else 1
        change |= {f"{name}__link_out__{j}__ready": lanes for j in range(each.dim)}
        if isinstance(each, PacketConfig):
            change[f"{name}__inject__slots"] = 1
        if isinstance(each, CrosspointConfig):
            change[f"{name}__inject__r1"] = 1
    for _ in range(CLOCKS):
        for name, words in waiting.items():
            change[f"{name}__inject__valid"] = int(bool(words))
            change[f"{name}__inject__data"] = words[0] if words else 0
            change[f"{name}__inject__last"] = int(len(words) == 1)
        outputs = yield change
        change = {}
        for name, words in waiting.items():
            if words and outputs[f"{name}__inject__ready"] & 1:
                words.pop(0)


def watch(inputs: Mapping[str, int], outputs: Mapping[str, Any], twin: ManyRouters) -> Iterator[str]:
    """Yield the names of the routers whose message leaves for node 1 in this cycle."""
    for name in twin.routers:
        link = f"{name}__link_out__0"
        there = outputs.get(f"{link}__valid", outputs.get(f"{link}__push"))
        if there and outputs[f"{link}__data"] == PAYLOAD:
            yield name


BENCH = Bench(
    component="tests.common.many_routers_rtl:ManyRouters",
    config="cubecast.golden.multicast.contract.config:Config",
    twin="tests.common.many_routers:ManyRouters",
    stimulus=stimulus,
    watch=watch,
    events=("multicast_3", "multicast_4", "packet_3", "packet_4", "crosspoint_3"),
)
