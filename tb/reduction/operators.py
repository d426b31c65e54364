"""Operators of a node, for a join unit that has none of its own: sums without sign that stay at the greatest number."""

from collections import deque

from cubecast.tb.common.patterns import item

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
    ending : str
        Of the names of the context that they belong to.
    nodes : int
        Nodes whose ports are packed; 0: those of one node, which are not.
    """

    def __init__(self, config, ending="", nodes=0):
        self.width, latency = config.width, config.operator_latency
        self.names = [f"operator_{k}{ending}_{'' if nodes else '_'}" for k in (1, 2) if latency]
        self.places = range(max(1, nodes))
        self.pipes = {name: deque([0] * latency, maxlen=latency) for name in self.names}

    def next(self):
        """Return what they give in this cycle."""
        return {f"{name}y": pipe[0] for name, pipe in self.pipes.items()}

    def saw(self, outputs):
        """Take the operands of this cycle; in a reset they are not known."""
        for name, pipe in self.pipes.items():
            made = 0
            for node in self.places:
                if (outputs[f"{name}valid"] or 0) >> node & 1:
                    operands = (item(outputs[f"{name}{port}"], node, self.width) for port in ("a", "b"))
                    made |= saturated(self.width, *operands) << node * self.width
            pipe.append(made)
