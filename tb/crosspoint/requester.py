"""Words at the head of a queue, as an output or the ejection sees them."""

from cubecast.tb.common.patterns import chance, sparse

__all__ = ["Requester"]


class Requester:
    """Packets of one queue, one after the other, with gaps between words.

    Parameters
    ----------
    random : Random
        The run's only source of randomness.
    config : CrosspointConfig
        Parameters of the router.
    """

    def __init__(self, random, config):
        self.random, self.config = random, config
        self.left, self.word = 0, None

    def next(self, mood):
        """Return what stands at the head of the queue, by name without prefix."""
        random, config, n = self.random, self.config, self.config.dim
        if self.word is None and chance(random, mood["load"] if not self.left else 1 - mood["gap"]):
            self.left = self.left or random.choice((1, 1, 2, random.randint(1, config.packet_limit)))
            self.word = {
                "data": random.getrandbits(config.width),
                "last": int(self.left == 1),
                "error": chance(random, 0.2),
                "r1": sparse(random, n),
                "r2": sparse(random, n),
                "kind": random.randrange(4) if config.multicast else 0,
                "push": sparse(random, n + 1) or 1 << random.randrange(n + 1),
            }
        shown = self.word or {name: 0 for name in ("data", "last", "error", "r1", "r2", "kind", "push")}
        return {"ne": int(self.word is not None), **shown}

    def saw(self, popped):
        """Take note of a pop."""
        if popped:
            self.left, self.word = self.left - 1, None
