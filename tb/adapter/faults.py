"""Faults that an adapter knows of, which come and go."""

from cubecast.tb.common.patterns import chance, sparse

__all__ = ["FaultList"]


class FaultList:
    """The list of faults as ports of a unit, and the links that are cut.

    Parameters
    ----------
    random : Random
        The run's only source of randomness.
    config : AdapterConfig
        Parameters of the node.
    """

    def __init__(self, random, config):
        self.random, self.config = random, config
        self.ports = {}
        for i in range(config.fault_entries):
            self.ports |= {f"fault__{i}__{name}": 0 for name in ("valid", "link", "node", "dimension")}
        self.ports["cut"] = 0

    def next(self, change, known):
        """Return the ports in this cycle; with probability ``change`` one fault comes (``known``) or goes."""
        random, config = self.random, self.config
        if chance(random, change):
            comes = chance(random, known)
            i = random.randrange(config.fault_entries + 1)
            if i == config.fault_entries:
                self.ports["cut"] = sparse(random, config.dim) if comes else 0
            else:
                self.ports |= {
                    f"fault__{i}__valid": comes,
                    f"fault__{i}__link": random.getrandbits(1),
                    f"fault__{i}__node": random.randrange(config.nodes),
                    f"fault__{i}__dimension": random.randrange(config.dim) if chance(random, 0.9) else 15,
                }
        return self.ports
