"""Host of a join unit: configures it, lets it run, stops it, and looks at its registers."""

from cubecast.golden.reduction.contract.registers import ADDRESS_BITS, Register
from cubecast.golden.reduction.contract.word import NONE
from cubecast.tb.common.patterns import chance

__all__ = ["ABORT", "DELIVER", "ENABLE", "MEMBER", "Host", "tree"]

ENABLE, ABORT, MEMBER, DELIVER = (1 << place for place in range(4))
"""Fields of CTRL."""


def tree(parent, a, b):
    """Return a value of TREE; None: no link."""
    links = (NONE if link is None else link for link in (parent, a, b))
    return sum(link << 4 * place for place, link in enumerate(links))


class Host:
    """Configurations, one after the other; each runs for a while and is then ended, by an abort or without.

    ``links`` are those of the tree while ``running``; while ``dropping``, any neighbour may still send.

    Parameters
    ----------
    random : Random
        The run's only source of randomness.
    config : ReductionConfig
        Parameters of the node.
    """

    def __init__(self, random, config):
        self.random, self.config = random, config
        self.links = dict.fromkeys(("parent", "a", "b"))
        self.running = self.dropping = False
        self._steps = self._begun()

    def next(self, stop):
        """Return an access; ``stop``: how probably the configuration ends in this cycle."""
        random = self.random
        if self.running and chance(random, stop):
            self.running, self._steps = False, self._ended()
        step = next(self._steps, None)
        if step is not None:
            return {"address": int(step[0]), "write": 1, "write_data": step[1]}
        # Whether a unit that drops words is empty, only STATUS says.
        looks = self.dropping and chance(random, 0.5)
        address = int(Register.STATUS) if looks else random.randrange(1 << ADDRESS_BITS)
        clears = self.running and address == Register.STATUS
        return {"address": address, "write": int(clears), "write_data": random.randrange(8)}

    def _begun(self):
        """Yield what configures the unit and lets it run."""
        random, dim = self.random, self.config.dim
        links = random.sample([None, None, *range(dim)], 3)
        self.links = dict(zip(self.links, links, strict=True))
        yield Register.TREE, tree(*links)
        yield Register.TIMEOUT, random.randrange(2)
        yield Register.CTRL, ENABLE | random.choice((0, MEMBER, MEMBER)) | random.choice((0, DELIVER, DELIVER))
        self.running = True

    def _ended(self):
        """Yield what stops the unit, and wait until it is empty and nothing comes any more."""
        aborts = chance(self.random, 0.5)
        yield Register.CTRL, (ENABLE | ABORT) * aborts
        self.dropping = bool(aborts)
        for _ in range(2 * self.config.reduce_depth):
            yield None
        self.dropping = False
        for _ in range(self.config.reduce_depth + 12):
            yield None
        yield Register.CTRL, 0
        yield from self._begun()
