"""Type checker: what kind of message a k field announces."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.multicast.contract.config import Config

__all__ = ["TypeChecker"]


class TypeChecker(wiring.Component):
    """Tell the type of a message from its k field; exactly one output is set. Combinational.

    Parameters
    ----------
    config : Config
        Parameters of the router.

    Ports
    -----
    k : in, n
        The k field.
    multicast : out
        1 <= k <= m: the multicaster routes the message.
    listed : out
        m < k <= max_list: it travels by broadcast with its list.
    broadcast : out
        k = 2**n - 1.
    zero : out
        k = 0, which is malformed.
    too_long : out
        max_list < k < 2**n - 1, which is malformed.

    Source: Lan 1988, section 6.5.3; lists longer than m: L8.
    """

    def __init__(self, config: Config):
        self.config = config
        super().__init__(
            {
                "k": In(config.dim),
                "multicast": Out(1),
                "listed": Out(1),
                "broadcast": Out(1),
                "zero": Out(1),
                "too_long": Out(1),
            }
        )

    def elaborate(self, platform):
        """Compare."""
        m = Module()
        short, allowed, broadcast = Signal(), Signal(), Signal()
        m.d.comb += [
            short.eq(self.k <= self.config.max_dest),
            allowed.eq(self.k <= self.config.max_list),
            broadcast.eq(self.k.all()),
            self.zero.eq(self.k == 0),
            self.multicast.eq(short & ~self.zero),
            self.listed.eq(allowed & ~short),
            self.broadcast.eq(broadcast),
            self.too_long.eq(~allowed & ~broadcast),
        ]
        return m
