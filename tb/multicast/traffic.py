"""Messages and the two ends of word streams, for the testbenches that work on whole messages."""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Iterable
from random import Random

from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.contract.message import encode
from cubecast.golden.multicast.contract.reason import Reason
from cubecast.tb.common.patterns import chance

__all__ = ["Drain", "Link", "Message", "Source", "kinds", "message", "well_formed"]

Word = tuple[int, int, int]
"""data, last, error."""


@dataclasses.dataclass(frozen=True)
class Message:
    """One message as it goes in, and what is to become of it.

    Parameters
    ----------
    kind : str
        One of :func:`kinds`.
    words : tuple of (data, last, error)
        What is sent.
    destinations : tuple of int
        Nodes that are to get it; empty for one with a bad header.
    data : tuple of int
        What each of them gets after the control vector, if the format has one.
    error : int
        Whether it ends with ``error``.
    reason : Reason
        What is reported where it is injected.
    """

    kind: str
    words: tuple[Word, ...]
    destinations: tuple[int, ...]
    data: tuple[int, ...] = ()
    error: int = 0
    reason: Reason = Reason.NONE


def well_formed(config: Config) -> tuple[str, ...]:
    """Return every kind of well-formed message that these parameters allow."""
    multicast = ("multicast",) if config.max_dest > 1 else ()
    listed = ("listed",) if config.carries_lists else ()
    return "unicast", *multicast, *listed, "broadcast"


def kinds(config: Config) -> tuple[str, ...]:
    """Return every kind of message that these parameters allow, well-formed or not."""
    found = [*well_formed(config), "k_zero", "header_short", "data_too_long"]
    if config.max_list < config.broadcast_k - 1:
        found.append("list_too_long")
    if config.width > config.dim:
        found.append("address_bits")
    return tuple(found)


def message(
    random: Random,
    config: Config,
    kind: str,
    source: int,
    *,
    control: int | None = None,
    distinct: bool = False,
) -> Message:
    """Return a random message of a kind.

    Parameters
    ----------
    random : Random
        The run's only source of randomness.
    config : Config
        Format and limits.
    kind : str
        One of :func:`kinds`, or "noise": random words.
    source : int
        Address of the node whose processor sends it.
    control : int
        Control vector of a broadcast, as a relayed copy has it; default: as the source sets it.
    distinct : bool
        No destination twice.
    """
    n, width, most = config.dim, config.width, config.max_data
    payload = [random.getrandbits(width) for _ in range(random.choice((0, 1, most, random.randint(0, most))))][:most]
    if kind == "noise":
        count = random.randint(1, config.buffer_depth + 4)
        noise = [random.choice((random.getrandbits(n), random.getrandbits(width))) for _ in range(count)]
        return Message(kind, _ended(noise, chance(random, 0.5)), ())
    if kind == "data_too_long":
        payload += [random.getrandbits(width) for _ in range(most - len(payload) + random.randint(1, 3))]
    k = _length(random, config, kind)
    if k == config.broadcast_k:
        header = encode(config, source, None)
        if control is not None and config.fault_tolerant:
            header[1] = control
        destinations = [node for node in range(config.nodes) if node != source]
    else:
        pool = range(config.nodes)
        destinations = random.sample(pool, k) if distinct else random.choices(pool, k=k)
        header = encode(config, source, destinations)
        if control is not None and config.fault_tolerant and k > config.max_dest:
            header[k + 1] = control
    if kind == "header_short":
        header, payload = header[: random.randrange(1, len(header))], []
    if kind == "address_bits":
        header[random.randrange(len(header))] |= 1 << random.randrange(n, width)
    error = chance(random, 0.2)
    words = _ended([*header, *payload], error)
    if kind.upper() in Reason.__members__ and kind != "data_too_long":
        return Message(kind, words, (), reason=Reason[kind.upper()])
    long = kind == "data_too_long"
    data = [source] if config.source_field or not config.fault_tolerant else []
    return Message(
        kind,
        words,
        tuple(dict.fromkeys(destinations)),
        (*data, *payload[:most]),
        1 if long else error,
        Reason.DATA_TOO_LONG if long else Reason.NONE,
    )


def _length(random: Random, config: Config, kind: str) -> int:
    """Return a k field for this kind of message."""
    if kind == "k_zero":
        return 0
    if kind == "list_too_long":
        return random.randint(config.max_list + 1, config.broadcast_k - 1)
    if kind == "unicast":
        return 1
    if kind == "broadcast":
        return config.broadcast_k
    if kind == "multicast":
        return random.choice((config.max_dest, random.randint(2, config.max_dest)))
    if kind == "listed":
        return random.choice((config.max_list, random.randint(config.max_dest + 1, config.max_list)))
    return random.choice((1, config.max_dest, config.max_list, config.broadcast_k))


def _ended(words: Iterable[int], error: int) -> tuple[Word, ...]:
    """Return words with ``last``, and ``error`` if so, on the final one."""
    listed = list(words)
    return tuple((word, int(i == len(listed) - 1), error * int(i == len(listed) - 1)) for i, word in enumerate(listed))


class Source:
    """The sending end of a word stream: queued messages go out word by word, with gaps.

    While no word is offered the payload lines carry random values.

    Parameters
    ----------
    random : Random
        The run's only source of randomness.
    config : Config
        Gives the width.
    """

    def __init__(self, random: Random, config: Config) -> None:
        self.random, self.width = random, config.width
        self.words: deque[Word] = deque()
        self.valid = 0
        self.inside = False
        self.offer: Word = (0, 0, 0)

    def send(self, words: Iterable[Word]) -> None:
        """Queue a message."""
        self.words.extend(words)

    def cut(self) -> None:
        """Drop the rest of the message under way."""
        self.valid = 0
        while self.inside:
            self.inside = not self.words.popleft()[1]

    def next(self, moved: int, gap: float = 0.0, start: float = 0.0) -> tuple[int, int, int, int]:
        """Return valid, data, last and error of the next cycle.

        ``moved``: the word offered in the last cycle was taken. ``gap``, ``start``: probability of a cycle without
        a word inside a message, and before one.
        """
        if self.valid and moved:
            self.inside = not self.words.popleft()[1]
            self.valid = 0
        if not self.valid:
            pause = gap if self.inside else start
            self.valid = int(bool(self.words) and self.random.random() >= pause)
            bits = self.random.getrandbits(self.width + 2)
            self.offer = self.words[0] if self.valid else (bits >> 2, bits >> 1 & 1, bits & 1)
        return (self.valid, *self.offer)


class Link:
    """The sending end of a link: begins a message only when the lane it picks is ready, then sends on regardless.

    Parameters
    ----------
    random : Random
        The run's only source of randomness.
    config : Config
        Gives width and lanes.
    """

    def __init__(self, random: Random, config: Config) -> None:
        self.random, self.lanes = random, config.lanes
        self.width = config.width
        self.lane_bits = config.lane_bits
        self.words: deque[Word] = deque()
        self.inside = False
        self.lane = 0
        self.started = -1

    def send(self, words: Iterable[Word]) -> None:
        """Queue a message."""
        self.words.extend(words)

    def cut(self) -> None:
        """Drop the rest of the message under way, as the sender on a cut link does."""
        self.started = -1
        while self.inside:
            self.inside = not self.words.popleft()[1]

    def next(self, ready: int, gap: float = 0.0, start: float = 0.0) -> tuple[int, int, int, int, int]:
        """Return valid, data, last, error and lane of the next cycle; ``ready`` is that of the last cycle."""
        if self.started >= 0:
            ready &= ~(1 << self.started)
        self.started = -1
        random = self.random
        if self.words and random.random() >= (gap if self.inside else start):
            free = [lane for lane in range(self.lanes) if ready >> lane & 1]
            if self.inside or free:
                if not self.inside:
                    self.started = self.lane = random.choice(free)
                word = self.words.popleft()
                self.inside = not word[1]
                return (1, *word, self.lane)
        data, last, error, lane = (random.getrandbits(bits) for bits in (self.width, 1, 1, self.lane_bits))
        return 0, data, last, error, lane


class Drain:
    """The receiving end of a link: a lane is ready, takes one message, and is ready again a while after its end.

    Parameters
    ----------
    random : Random
        The run's only source of randomness.
    lanes : int
        Number of lanes.
    """

    def __init__(self, random: Random, lanes: int) -> None:
        self.random, self.lanes = random, lanes
        self.ready = 0
        self.busy = -1

    def cut(self) -> None:
        """Drop the message under way, as the receiver on a cut link does; no lane is ready."""
        self.busy = -1
        self.ready = 0

    def next(self, valid: int, last: int, lane: int, again: float = 1.0) -> int:
        """Return the ready vector of the next cycle; the arguments are what came in the last one.

        ``again``: probability, in each cycle, that a lane which is done becomes ready.
        """
        if valid:
            lane = self.busy if self.busy >= 0 else lane
            self.ready &= ~(1 << lane)
            self.busy = -1 if last else lane
        for place in range(self.lanes):
            if not self.ready >> place & 1 and place != self.busy and self.random.random() < again:
                self.ready |= 1 << place
        return self.ready
