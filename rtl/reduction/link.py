"""Signatures of the words that the join unit takes and gives."""

from amaranth.hdl import Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.crosspoint.contract.word import OPERATION_BITS
from cubecast.golden.reduction.contract.config import ReductionConfig

__all__ = ["Head", "Operator", "Own", "Result", "Word", "fields_of", "operators"]


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


def fields_of(config: ReductionConfig, kept: Value) -> dict[str, Value]:
    """Return the fields of a word as a queue keeps it, by their names.

    Parameters
    ----------
    config : ReductionConfig
        Gives the width of a word.
    kept : Value
        What the queue has at its head.
    """
    fields, low = {}, 0
    for name, member in Word(config).members.items():
        fields[name] = kept[low : low + member.shape]
        low += member.shape
    return fields


class Operator(wiring.Signature):
    """Operands for an operator of the node, and what it makes of them ``operator_latency`` cycles later.

    Parameters
    ----------
    config : ReductionConfig
        Gives the width of a word.
    """

    def __init__(self, config: ReductionConfig):
        w = config.width
        super().__init__({"valid": Out(1), "a": Out(w), "b": Out(w), "rop": Out(OPERATION_BITS), "y": In(w)})


def operators(config: ReductionConfig) -> dict[str, wiring.Member]:
    """Return the ports to the operators of the node: one for each stage of the join, none without a latency.

    Parameters
    ----------
    config : ReductionConfig
        Parameters of the node.
    """
    return {f"operator_{k}": Out(Operator(config)) for k in (1, 2)} if config.operator_latency else {}


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
