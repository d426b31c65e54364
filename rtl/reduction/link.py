"""Signatures of the words that the join unit takes and gives."""

from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.crosspoint.contract.word import OPERATION_BITS
from cubecast.golden.reduction.contract.config import ReductionConfig

__all__ = ["Head", "Own", "Result", "Word"]


class Word(wiring.Signature):
    """Word of a reduction; a queue keeps its fields in this order, from bit 0 on.

    Parameters
    ----------
    config : ReductionConfig
        Gives the width of a word.
    """

    def __init__(self, config: ReductionConfig):
        super().__init__(
            {"data": Out(config.width), "rop": Out(OPERATION_BITS), "last": Out(1), "error": Out(1)},
        )


class Head(wiring.Signature):
    """Head of a queue: ``ne``, the word, and ``pop`` against it.

    Parameters
    ----------
    config : ReductionConfig
        Gives the width of a word.
    """

    def __init__(self, config: ReductionConfig):
        super().__init__({"ne": Out(1), **Word(config).members, "pop": In(1)})


class Own(wiring.Signature):
    """Stream of the words of the node; a word moves in a cycle with ``valid & ready``.

    Parameters
    ----------
    config : ReductionConfig
        Gives the width of a word.
    """

    def __init__(self, config: ReductionConfig):
        members = Word(config).members
        super().__init__({"valid": Out(1), **{name: members[name] for name in ("data", "rop", "last")}, "ready": In(1)})


class Result(wiring.Signature):
    """Stream of the results; once ``valid``, a word stays as it is until it moves.

    Parameters
    ----------
    config : ReductionConfig
        Gives the width of a word.
    """

    def __init__(self, config: ReductionConfig):
        members = Word(config).members
        names = ("data", "last", "error")
        super().__init__({"valid": Out(1), **{name: members[name] for name in names}, "ready": In(1)})
