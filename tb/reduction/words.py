"""Words that are reduced, as testbenches draw them."""

from cubecast.golden.crosspoint.contract.word import OPERATION_BITS
from cubecast.golden.reduction.contract.word import FIELDS, Operation
from cubecast.tb.common.patterns import chance, sparse

__all__ = ["NOTHING", "Operands", "shown", "word"]

NOTHING = dict.fromkeys(FIELDS, 0)
"""What stands where no word is."""


def word(random, config):
    """Return any word."""
    return {
        "data": sparse(random, config.width),
        "rop": random.getrandbits(OPERATION_BITS),
        "last": random.getrandbits(1),
        "error": chance(random, 0.1),
    }


def shown(prefix, fields):
    """Return ports by their names with a prefix."""
    return {f"{prefix}__{name}": value for name, value in fields.items()}


class Operands:
    """Words of operations that several sources offer in the same order, each with its own data.

    Parameters
    ----------
    random : Random
        The run's only source of randomness.
    config : ReductionConfig
        Gives the width of a word.
    sources : sequence of str
        Who offers them.
    """

    def __init__(self, random, config, sources):
        self.random, self.config = random, config
        self.waiting = {name: [] for name in sources}
        self.left = 0
        self.operation = Operation.ADD

    def next(self, source, wrong):
        """Return the next word of a source; with this probability it belongs to another operation."""
        random, queue = self.random, self.waiting[source]
        if not queue:
            self._draw()
        rop, last = queue.pop(0)
        if chance(random, wrong):
            rop, last = random.choice(((rop ^ 1 << random.randrange(3), last), (rop, 1 - last)))
        data = random.choice((sparse(random, self.config.width), random.getrandbits(self.config.width)))
        return {"data": data, "rop": int(rop), "last": last, "error": 0}

    def _draw(self):
        """Draw one more word for all sources."""
        if not self.left:
            # Now and then one that does not exist.
            self.operation = self.random.choice(tuple(Operation)) | chance(self.random, 0.1) << OPERATION_BITS - 1
            self.left = self.random.choice((1, 1, 2, self.random.randint(1, 8)))
        self.left -= 1
        for queue in self.waiting.values():
            queue.append((self.operation, int(not self.left)))
