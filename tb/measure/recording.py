"""Testbenches of the routers that play a script and record every port: for the timing diagrams of the docs."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from random import Random
from typing import Any, ClassVar

from cubecast.golden.crosspoint.twins.router import CrosspointRouter
from cubecast.golden.multicast.twins.router import Router
from cubecast.golden.packet.twins.router import PacketRouter
from cubecast.tb.harness.bench import RESET_CYCLES, Bench

__all__ = ["CROSSPOINT", "MULTICAST", "PACKET", "CrosspointRecording", "PacketRecording", "Recording"]


class Recording:
    """Twin of the multicast router that keeps what its ports carry in each cycle.

    Parameters
    ----------
    config : Config
        Parameters of the router.
    """

    twin: ClassVar[Any] = Router

    def __init__(self, config: Any) -> None:
        """Start in reset, with nothing kept."""
        self.router = self.twin(config)
        self.cycles: list[dict[str, int | None]] = []

    def step(self, inputs: Mapping[str, int]) -> dict[str, int | None]:
        """Return this cycle's outputs, keep them, and take the edge."""
        outputs: dict[str, int | None] = self.router.step(inputs)
        self.cycles.append({**inputs, **outputs})
        return outputs

    def result(self) -> list[dict[str, int | None]]:
        """Return what the ports carried after the reset."""
        return self.cycles[RESET_CYCLES:]


class PacketRecording(Recording):
    """The same of the packet router; its parameters are a :class:`PacketConfig`."""

    twin = PacketRouter


class CrosspointRecording(Recording):
    """The same of the crosspoint router; its parameters are a :class:`CrosspointConfig`."""

    twin = CrosspointRouter


def stimulus(
    random: Random, config: Any, script: Sequence[Mapping[str, int]] = ()
) -> Generator[Mapping[str, int], dict[str, Any], None]:
    """Play the inputs that change, cycle by cycle."""
    for change in script:
        _outputs = yield change


MULTICAST = Bench(
    unit="multicast.router:Router",
    twin="cubecast.tb.measure.recording:Recording",
    stimulus=stimulus,
    collect=Recording.result,
)

PACKET = Bench(
    unit="packet.router:PacketRouter",
    twin="cubecast.tb.measure.recording:PacketRecording",
    stimulus=stimulus,
    collect=Recording.result,
)

CROSSPOINT = Bench(
    unit="crosspoint.router:CrosspointRouter",
    twin="cubecast.tb.measure.recording:CrosspointRecording",
    stimulus=stimulus,
    collect=Recording.result,
)
