"""Testbench of the network of nodes that runs given programs and records what becomes of them."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from functools import partial
from random import Random
from typing import Any

from cubecast.golden.common.contract.units import DATA_BITS
from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.node.contract.registers import Register
from cubecast.golden.node.twins.node_network import NodeNetwork
from cubecast.tb.harness.bench import RESET_CYCLES, Bench
from cubecast.tb.node.follower import follow
from cubecast.tb.node.packet_follower import PacketFollower
from cubecast.tb.node.program_run import SETUP_CYCLES, ProgramRun

__all__ = ["BENCH", "START", "Playback"]

START = RESET_CYCLES + 1 + SETUP_CYCLES
"""Cycle of the run in which the programs start."""


class Outputs(dict[str, Any]):
    """Outputs of a cycle, with the recorder that they come from."""

    recorder: Playback


class Playback:
    """Twin of the network of nodes whose units are looked at by the run of programs around it.

    Parameters
    ----------
    config : NodeConfig
        Parameters of the network.
    probe : bool
        Always true: the links are compared.
    """

    def __init__(self, config: NodeConfig, probe: bool = True) -> None:
        """Start in reset, with no programs."""
        self.network = NodeNetwork(config, probe=probe)
        self.run: ProgramRun | None = None
        self.packets: PacketFollower | None = None

    def attach(self, run: ProgramRun) -> None:
        """Let a run follow the messages."""
        self.run = run
        for node, member in enumerate(self.network.nodes):
            follow(run.follower, node, member.interface, partial(self._released, run, node))

    def watch(self, run: ProgramRun) -> None:
        """Record the run cycle by cycle, with the packets of its messages."""
        self.packets = PacketFollower(self.network, run)

    @staticmethod
    def _released(run: ProgramRun, node: int, accepted: bool) -> None:
        """Tell a processor what became of its release."""
        run.processors[node].released(run.clock, accepted)

    def step(self, inputs: Mapping[str, int]) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        outputs = Outputs(self.network.step(inputs))
        outputs.recorder = self
        return outputs

    def result(self) -> dict[str, Any] | None:
        """Return everything recorded; None if the run has failed before the programs began.

        A run that is recorded cycle by cycle has ``recording`` besides what :class:`ProgramRun` tells. Counters of
        routers that wrap early, or that there are none of, are the golden network's.
        """
        if self.run is None:
            return None
        if self.run.config.router.counters < DATA_BITS:
            routers = [node.router.control.registers for node in self.network.nodes]
            for address in filter(Register.PLACES.__gt__, self.run.registers):
                self.run.registers[address] = [registers[address] for registers in routers]
        return self.run.result() | ({} if self.packets is None else {"recording": self.packets.recording()})


def stimulus(
    random: Random, config: NodeConfig, programs: object = None, explore: bool = False, **settings: Any
) -> Generator[dict[str, int], Outputs, None]:
    """Run programs, see :class:`cubecast.tb.node.program_run.ProgramRun`, which takes the settings.

    Parameters
    ----------
    random : Random
        Decides when memories stall.
    config : NodeConfig
        Parameters of the network.
    programs : object
        What is in a file of programs.
    explore : bool
        Whether the run is recorded cycle by cycle.
    """
    run = ProgramRun(random, config, {"nodes": {}} if programs is None else programs, **settings)
    outputs = yield {}
    recorder = outputs.recorder
    recorder.attach(run)
    if explore:
        recorder.watch(run)
    yield from run.cycles(recorder.network.quiet)


BENCH = Bench(
    unit="node.node_network:NodeNetwork",
    twin="cubecast.tb.node.playback:Playback",
    stimulus=stimulus,
    collect=Playback.result,
    extra={"probe": True},
    first=START,
)
