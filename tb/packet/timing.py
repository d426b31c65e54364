"""Bench that sends packets through an idle packet router, one by one, and keeps what its links carry in each cycle."""

from __future__ import annotations

from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.contract.packet import Head
from cubecast.golden.packet.twins.router import PacketRouter
from cubecast.tb.harness.bench import Bench
from cubecast.tb.packet.neighbour import serial_bits

__all__ = ["ADDRESS", "BENCH", "Recording", "packets"]

ADDRESS = 5
"""Address of the router."""


class Recording:
    """Twin of the router that keeps what its links carry in each cycle.

    ``links`` holds, by stream (``link_in__0`` ...), the bit of each cycle, or the word of each cycle with its ``head``
    bit above, -1 where there is none.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router.
    """

    def __init__(self, config: PacketConfig) -> None:
        """Start in reset, with nothing kept."""
        self.config = config
        self.router = PacketRouter(config)
        self.links = {f"link_{way}__{j}": [] for way in ("in", "out") for j in range(config.dim)}

    def step(self, inputs):
        """Return this cycle's outputs, keep what the links carry, and take the edge."""
        outputs = self.router.step(inputs)
        for name, kept in self.links.items():
            values = inputs if name.startswith("link_in") else outputs
            if self.config.link == "serial":
                kept.append(values[f"{name}__line"])
            else:
                word = values[f"{name}__valid"] and values[f"{name}__head"] << self.config.head_bits
                kept.append(word | values[f"{name}__data"] if values[f"{name}__valid"] else -1)
        return outputs


def packets(config):
    """Yield (input, output, packet in, packet out) for every pair of links the crossbar connects and every length."""
    for i in range(config.dim):
        for p in range(config.dim):
            if p == i or (p < i and not config.contrary):
                continue
            # The hop after the one by p leads to the node.
            destination = ADDRESS ^ 1 << p
            for length in range(1, config.max_words + 1):
                words = [(length * 0x1357 + place * 0x2A5D) % (1 << config.width) for place in range(length)]
                # It came by a hop that was not the fixed choice if it goes on below.
                head = Head(contrary=int(p < i), next_port=p, length=length, destination=destination)
                onward = Head(next_port=config.local, length=length, destination=destination)
                yield i, p, (head, words), (onward, words)


def stimulus(random, config):
    """Send each packet when the one before has left."""
    serial = config.link == "serial"
    change = {"address": ADDRESS, "eject__ready": 1}
    if not serial:
        change |= {f"link_out__{j}__ready": 1 for j in range(config.dim)}
    for i, _, (head, words), _ in packets(config):
        name = f"link_in__{i}"
        if serial:
            script = [{f"{name}__line": bit} for bit in serial_bits(config, (head, words))]
            rest = {f"{name}__line": 0}
        else:
            sent = [(1, head.encode(config)), *((0, word) for word in words)]
            script = [{f"{name}__valid": 1, f"{name}__head": h, f"{name}__data": data} for h, data in sent]
            rest = {f"{name}__valid": 0}
        for cycle in range(len(script) + 40):
            step = script[cycle] if cycle < len(script) else rest
            _outputs = yield change | step
            change = {}


BENCH = Bench(
    unit="packet.router:PacketRouter",
    twin="cubecast.tb.packet.timing:Recording",
    stimulus=stimulus,
    collect=lambda twin: twin.links,
)
