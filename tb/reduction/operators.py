"""Operators of a node, for a join unit that has none of its own: sums without sign that stay at the greatest number."""

from collections import deque

__all__ = ["Operators", "saturated"]


def saturated(width, a, b):
    """Return what the operators make of two words."""
    return min(a + b, (1 << width) - 1)


class Operators:
    """Two of them, each of as many cycles as the unit expects; none where it has ALUs.

    Parameters
    ----------
    config : ReductionConfig
        Parameters of the node.
    """

    def __init__(self, config):
        self.width, latency = config.width, config.operator_latency
        self.pipes = [deque([0] * latency, maxlen=latency) for _ in range(2 if latency else 0)]

    def next(self):
        """Return what they give in this cycle."""
        return {f"operator_{k}__y": pipe[0] for k, pipe in enumerate(self.pipes, 1)}

    def saw(self, outputs):
        """Take the operands of this cycle."""
        for k, pipe in enumerate(self.pipes, 1):
            there = outputs[f"operator_{k}__valid"]
            operands = (outputs[f"operator_{k}__{name}"] for name in ("a", "b"))
            pipe.append(saturated(self.width, *operands) if there else 0)
