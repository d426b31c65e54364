"""Input port: a header word as an address relative to this node."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.multicast.contract.config import Config

__all__ = ["InputPort"]


class InputPort(wiring.Component):
    """Take the field out of a header word and XOR it with the local address. Combinational.

    Parameters
    ----------
    config : Config
        Parameters of the router.

    Ports
    -----
    word : in, w
        Word of a message.
    address : in, n
        Local address.
    field : out, n
        The low n bits of the word.
    relative : out, n
        The field relative to the local address.
    high : out
        A bit above the field is set.

    Source: Lan 1988, section 6.5.1, figure 6.4.
    """

    def __init__(self, config: Config):
        self.config = config
        n = config.dim
        super().__init__(
            {"word": In(config.width), "address": In(n), "field": Out(n), "relative": Out(n), "high": Out(1)}
        )

    def elaborate(self, platform):
        """Write down the equations."""
        m = Module()
        n = self.config.dim
        m.d.comb += [
            self.field.eq(self.word[:n]),
            self.relative.eq(self.word[:n] ^ self.address),
            self.high.eq(self.word[n:].any()),
        ]
        return m
