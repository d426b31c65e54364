"""Bench of the packet router that plays a script and records every port: for the timing diagrams of the docs."""

from cubecast.golden.packet.twins.router import PacketRouter
from cubecast.tb.harness.lockstep import RESET_CLOCKS, Bench

__all__ = ["BENCH", "Recording"]


class Recording:
    """Twin of the packet router that keeps what its ports carry in each clock.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router.
    """

    def __init__(self, config):
        """Start in reset, with nothing kept."""
        self.router = PacketRouter(config)
        self.clocks = []

    def step(self, inputs):
        """Return this clock's outputs, keep them, and take the edge."""
        outputs = self.router.step(inputs)
        self.clocks.append({**inputs, **outputs})
        return outputs


def stimulus(random, config, script=()):
    """Play the inputs that change, clock by clock."""
    for change in script:
        _outputs = yield change


BENCH = Bench(
    name="recording",
    component="cubecast.rtl.packet.router:PacketRouter",
    twin="cubecast.tb.packet.recording:Recording",
    stimulus=stimulus,
    collect=lambda twin: twin.clocks[RESET_CLOCKS:],
    config="cubecast.golden.packet.contract.config:PacketConfig",
)
