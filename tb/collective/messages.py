"""Messages of the collectives, for the testbenches: as they come out of the ejection port, and as they are injected."""

from cubecast.golden.collective.contract.segment import Kind, kind_fields, kind_word

__all__ = ["STRANGE", "Sent", "arrival", "ended", "noise", "segments"]

STRANGE = 7
"""A kind that does not exist."""


def arrival(random, config, kind, argument, body=(), *, final=1, stage=0, hops=0, error=0):
    """Return a message as the ejection port brings it: words with ``last`` and ``error``."""
    words = [random.getrandbits(config.dim)]
    if config.router.source_field:
        words.append(random.getrandbits(config.dim))
    words += [kind_word(kind, final, stage, hops), argument, *body]
    return ended(words, error)


def ended(words, error=0):
    """Return words with ``last``, and ``error`` if so, on the final one."""
    most = len(words) - 1
    return [(word, int(place == most), error * int(place == most)) for place, word in enumerate(words)]


def segments(random, config, kind, place, words, *, stage=0, hops=0, error=0):
    """Return the messages of a piece, each with its kind; of a ring, ``place`` is the origin."""
    size, found = config.segment, []
    for begin in range(0, max(1, len(words)), size):
        argument = place if kind == Kind.RING else place + begin & 0xFFFF
        final = int(begin + size >= len(words))
        part = words[begin : begin + size]
        wrong = error * (final or random.getrandbits(1))
        message = arrival(random, config, kind, argument, part, final=final, stage=stage, hops=hops, error=wrong)
        found.append((kind, message))
    return found


def noise(random, config, kind):
    """Return a message of a kind that may end anywhere, with anything in it, with an error or without."""
    body = [random.getrandbits(config.width) for _ in range(random.choice((0, 0, 1, config.segment)))]
    stage, hops = random.getrandbits(4), random.choice((0, 1, random.getrandbits(8)))
    argument = random.choice((random.getrandbits(config.dim), random.getrandbits(16)))
    words = arrival(random, config, kind, argument, body, final=random.getrandbits(1), stage=stage, hops=hops)
    if random.random() < 0.4:
        words = words[: random.randint(1, len(words))]
    return ended([word for word, _, _ in words], random.choice((0, 0, 1)))


class Sent:
    """The messages that come out of an injection port, read word by word.

    Parameters
    ----------
    config : CollectiveConfig
        Gives the format.
    """

    def __init__(self, config):
        self.config = config
        self.words = []

    def take(self, word, last, error):
        """Take a word; return the message that ends with it, a dict, or None.

        Of a message that was broken off, or is none of the collectives, only ``error`` is said.
        """
        self.words.append(word)
        if not last:
            return None
        words, self.words = self.words, []
        if error:
            return {"error": 1, "words": len(words)}
        router, count = self.config.router, words[0]
        place = 1 if count == router.broadcast_k else 1 + count
        head = place + 1 + int(router.source_field)
        if len(words) < head + 2:
            return {"error": 1, "words": len(words)}
        kind, final, stage, hops = kind_fields(words[head])
        return {
            "error": 0,
            "broadcast": count == router.broadcast_k,
            "destinations": words[1:place],
            "kind": kind,
            "final": final,
            "stage": stage,
            "hops": hops,
            "argument": words[head + 1],
            "body": words[head + 2 :],
        }
