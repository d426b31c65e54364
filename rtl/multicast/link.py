"""Signatures of the words of messages and of the link between routers."""

from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.multicast.contract.config import Config

__all__ = ["Link", "LinkWords", "Words"]


class Words(wiring.Signature):
    """Stream of the words of messages.

    A word moves in a cycle with ``valid & ready``. Once asserted, ``valid`` stays, and the word does not change,
    until the word has moved. ``error`` means something only with ``last``.

    Parameters
    ----------
    config : Config
        Gives the width of a word.
    """

    def __init__(self, config: Config):
        super().__init__({"valid": Out(1), "data": Out(config.width), "last": Out(1), "error": Out(1), "ready": In(1)})


class LinkWords(wiring.Signature):
    """Stream of words over a link.

    ``ready[l]`` says that the message handling unit of lane l can take a whole message of maximum length: the
    acknowledgement of Lan 1988, section 6.4.1, given ahead of the request. The first word of a message is sent only
    while ``ready[lane]``; the words after it are taken whenever ``valid``. Words of two messages never interleave.
    While the link is cut, nothing is sent or taken, and a message in the middle of it is over.

    Parameters
    ----------
    config : Config
        Gives the width of a word and the number of lanes.
    """

    def __init__(self, config: Config):
        super().__init__(
            {
                "valid": Out(1),
                "data": Out(config.width),
                "last": Out(1),
                "error": Out(1),
                "lane": Out(config.lane_bits),
                "ready": In(config.lanes),
            }
        )


class Link(wiring.Signature):
    """One direction of the link between two neighbours: :class:`LinkWords`, and in the fault-tolerant format ``down``.

    ``down`` is the sender's FAULT bit for this link. The link is cut in the cycle after one in which the FAULT bit of
    either end was set, so that both ends know it in the same cycle.

    Parameters
    ----------
    config : Config
        Gives the width of a word, the number of lanes and the format.
    """

    def __init__(self, config: Config):
        super().__init__({**LinkWords(config).members, **({"down": Out(1)} if config.fault_tolerant else {})})
