"""Signatures of the words that the crosspoint router takes, passes on and delivers, and of its links."""

from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.word import CONTEXTS, KIND_BITS, OPERATION_BITS

__all__ = ["Backward", "Eject", "Forward", "Inject", "Link", "ReduceIn", "ReduceOut", "Requester", "Word"]


class Word(wiring.Signature):
    """Word on a link, with all fields that any parameter set has; it is there when any bit of ``push`` is set.

    Parameters
    ----------
    config : CrosspointConfig
        Gives the dimension and the width of a word.
    """

    def __init__(self, config: CrosspointConfig):
        n = config.dim
        super().__init__(
            {
                "push": Out(n + 1),
                "head": Out(1),
                "last": Out(1),
                "error": Out(1),
                "data": Out(config.width),
                "r1": Out(n),
                "r2": Out(n),
                "kind": Out(KIND_BITS),
            }
        )


class Forward(wiring.Signature):
    """What a link carries with the words: those of their fields that there are, and the sender's FAULT bit ``down``.

    Parameters
    ----------
    config : CrosspointConfig
        Gives the dimension, the width of a word, runs, multicast and fault tolerance.
    reduce : int
        Join units: with ``push_r`` of each, and ``rop`` of its words, which have ``data``, ``last`` and ``error`` too.
    """

    def __init__(self, config: CrosspointConfig, *, reduce: int = 0):
        absent = {"r2": not config.carries_r2, "kind": not config.multicast}
        members = {name: member for name, member in Word(config).members.items() if not absent.get(name)}
        reduced = {f"push_r{context}": Out(1) for context in CONTEXTS[:reduce]}
        reduced |= {"rop": Out(OPERATION_BITS)} if reduce else {}
        super().__init__({**members, **reduced, **({"down": Out(1)} if config.fault_tolerant else {})})


class Backward(wiring.Signature):
    """What a link carries against the words: room for a packet in all queues, and in those that lead up.

    Parameters
    ----------
    config : CrosspointConfig
        Gives the number of runs.
    reduce : int
        Join units: with ``ready_r`` of each, room for a word of its reduction.
    """

    def __init__(self, config: CrosspointConfig, *, reduce: int = 0):
        names = ["ready", *["ready_up"] * (config.runs == 2), *(f"ready_r{context}" for context in CONTEXTS[:reduce])]
        super().__init__({name: Out(1) for name in names})


class Link(wiring.Signature):
    """One direction of the link between two neighbours.

    A head is sent only while ``ready`` (or, from a queue that leads up, ``ready_up``); the other words of its packet
    ask for nothing, and packets never interleave.

    Parameters
    ----------
    config : CrosspointConfig
        Gives the fields.
    reduce : int
        Join units: with what they send. A word of one is sent only while its ``ready_r``, and not within a packet.
    """

    def __init__(self, config: CrosspointConfig, *, reduce: int = 0):
        flags = {name: member.flip() for name, member in Backward(config, reduce=reduce).members.items()}
        super().__init__({**Forward(config, reduce=reduce).members, **flags})


class ReduceIn(wiring.Signature):
    """Words of a reduction as they come over a link, on their way to a join unit.

    Parameters
    ----------
    config : CrosspointConfig
        Gives the width of a word.
    """

    def __init__(self, config: CrosspointConfig):
        super().__init__({"push_r": Out(1), **_reduced(config)})


class ReduceOut(wiring.Signature):
    """Words of a reduction that a join unit wants to send over a link; ``taken`` in the cycle in which one goes.

    Parameters
    ----------
    config : CrosspointConfig
        Gives the width of a word.
    """

    def __init__(self, config: CrosspointConfig):
        super().__init__({"request": Out(1), **_reduced(config), "taken": In(1)})


def _reduced(config):
    """Return the fields of a word of a reduction."""
    return {"data": Out(config.width), "rop": Out(OPERATION_BITS), "last": Out(1), "error": Out(1)}


class Inject(wiring.Signature):
    """Stream of the packets of a node; a word moves in a cycle with ``valid & ready``.

    ``r1``, ``r2`` and ``kind`` count with the first word of a packet alone.

    Parameters
    ----------
    config : CrosspointConfig
        Gives the dimension and the width of a word.
    """

    def __init__(self, config: CrosspointConfig):
        n = config.dim
        super().__init__(
            {
                "valid": Out(1),
                "data": Out(config.width),
                "last": Out(1),
                "error": Out(1),
                "r1": Out(n),
                "r2": Out(n),
                "kind": Out(KIND_BITS),
                "ready": In(1),
            }
        )


class Eject(wiring.Signature):
    """Stream of the words for a node; once ``valid``, a word stays as it is until it moves.

    Parameters
    ----------
    config : CrosspointConfig
        Gives the width of a word.
    """

    def __init__(self, config: CrosspointConfig):
        super().__init__(
            {
                "valid": Out(1),
                "data": Out(config.width),
                "last": Out(1),
                "error": Out(1),
                "kind": Out(KIND_BITS),
                "ready": In(1),
            }
        )


class Requester(wiring.Signature):
    """Head of a queue, as an output sees it.

    Parameters
    ----------
    config : CrosspointConfig
        Gives the dimension and the width of a word.
    route : bool
        With what the link needs of it: the fields and the set of queues that leave with it.
    """

    def __init__(self, config: CrosspointConfig, *, route: bool):
        n = config.dim
        members = {"ne": 1, "data": config.width, "last": 1, "error": 1, "kind": KIND_BITS}
        if route:
            members |= {"r1": n, "r2": n, "push": n + 1}
        super().__init__({name: Out(bits) for name, bits in members.items()})
