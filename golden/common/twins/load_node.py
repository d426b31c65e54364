"""Load node: traffic source and checker of one node."""

from __future__ import annotations

from typing import NamedTuple

from cubecast.golden.common.contract.load import MOST_WAITING, WORDS_BITS, Kind, LoadShape, Policy, settings
from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.common.twins.traffic_pattern import follow, xorshift

__all__ = ["Came", "Ended", "LoadNode", "Offer"]


class Offer(NamedTuple):
    """What a load node offers to its router: a word, whom its packet is for, and where in its message it is."""

    data: int
    last: int
    kind: int
    r1: int
    r2: int
    block: int
    final: int
    headed: int


class Came(NamedTuple):
    """A word that comes from the router."""

    data: int
    last: int
    error: int
    kind: int = 0


class Ended(NamedTuple):
    """A packet that came: its source, its number there, its words without headers, and whether any was wrong."""

    source: int
    number: int
    words: int
    bad: bool


class LoadNode:
    """Twin of the load node.

    ``offer`` is what is on the wires to the router in the coming cycle, None without a word; ``ended`` is the packet
    that came last, ``done`` whether its last word came in the cycle before.

    Parameters
    ----------
    shape : LoadShape
        What the router takes.
    """

    def __init__(self, shape: LoadShape) -> None:
        """Start in reset."""
        self.shape = shape
        self.address = 0
        self._bits = settings(shape)
        self._settings = dict.fromkeys(self._bits, 0)
        self._everywhere = (1 << shape.nodes) - 2
        self._fields = range(0, 16 // shape.dim * shape.dim, shape.dim)
        self._block = (1 << shape.block) - 1
        self._tag = (1 << shape.number_bits) - 1
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.seeded = False
        self._times = self._targets = self._ways = self._lengths = 0
        self.arrived = 0
        self.backlog = 0
        # The message, once it is drawn; the nodes that a list still lacks.
        self.drawn = self.lost = self.everyone = False
        self.lacking = 0
        self.kind = Kind.ONE
        self.r1 = self.r2 = 0
        self.blocks: list[tuple[int, int]] = []
        self._listed: set[int] = set()
        # The packet: words of the message left, payload words sent of it, whether a word before them was.
        self.whole = self.left = self.index = 0
        self.headed = False
        self.word = self.number = 0
        self.done = False
        self.ended = Ended(0, 0, 0, False)
        self._within = self._tagged = False
        self._led = 0
        self._expected = 0

    def adopt(self, inputs: Inputs, place: int = 0, nodes: int = 1) -> None:
        """Take the settings from ports, or from item ``place`` of vectors over so many nodes."""
        for name, bits in self._bits.items():
            self._settings[name] = inputs.get(name, 0) >> bits * place & (1 << bits) - 1

    @property
    def _most(self) -> int:
        """Payload words that a packet of this message carries."""
        return self.shape.most(self.kind == Kind.LIST)

    @property
    def _final_block(self) -> bool:
        """Whether no packets for other blocks follow."""
        return len(self.blocks) <= 1

    def refuses(self, load: int) -> bool:
        """Return whether a message leaves in this cycle without a packet."""
        return bool(not load and self.seeded and self.drawn and self.backlog and self.lost)

    def draws(self, load: int, offered: Offer | None, ready: int, heading: int = 0) -> bool:
        """Return whether a message is drawn in this cycle."""
        if load or not self.seeded:
            return False
        final = offered is not None and ready and not heading and offered.final and self._final_block
        return bool(final or self.refuses(load) or not (self.drawn or self.lacking))

    def offer(self, load: int) -> Offer | None:
        """Return what is offered to the router in this cycle."""
        if load or self.lost or not (self.seeded and self.drawn and self.backlog):
            return None
        whom, block = (self.kind, self.r1, self.r2), 0
        if self.kind == Kind.LIST:
            block, r1 = self.blocks[0]
            whom = (self.kind, r1, 0)
            if self.shape.bitmaps and not self.headed:
                return Offer(block, 0, *whom, block, 0, 0)
        data = self.word if self.index else self.address << self.shape.number_bits | self.number
        final = self.left == 1
        return Offer(data, int(final or self.index + 1 == self._most), *whom, block, int(final), int(self.headed))

    @property
    def head(self) -> bool:
        """Whether the next word is the first of its packet."""
        return not self.index and not self.headed

    @property
    def closes(self) -> bool:
        """Whether the packet that begins with the next word is the message's final one."""
        return self.left <= self._most and self._final_block

    def edge(self, load: int, enable: int, offered: Offer | None, ready: int, heading: int = 0) -> None:
        """Take the edge of the source; with ``heading`` the router takes a word of its own."""
        if load:
            given = self._settings
            self._times, self._targets, self._ways = (given[f"{name}_seed"] for name in ("arrival", "target", "way"))
            self._lengths = given["length_seed"]
            self.seeded = True
            return
        leaves = self.refuses(load)
        if leaves:
            self.number = self.number + 1 & self._tag
        elif offered is not None and ready:
            leaves = self._send(offered, heading)
        full = self.backlog == MOST_WAITING
        new = int(bool(enable) and self._times & 0xFFFFFF < self._settings["rate"] and not full)
        if enable:
            self._times = xorshift(self._times)
        self.backlog += new - leaves
        self.arrived = new
        if not self.seeded:
            return
        if leaves or not (self.drawn or self.lacking):
            self._draw()
            self._lengths = xorshift(self._lengths)
        elif self.lacking:
            self._add(self._random())
        else:
            return
        self._targets, self._ways = xorshift(self._targets), xorshift(self._ways)

    def _send(self, word: Offer, heading: int) -> bool:
        """Let a word leave; return whether it was the message's last."""
        if heading or (self.shape.bitmaps and self.kind == Kind.LIST and not self.headed):
            self.headed = True
            return False
        self.word = follow(self.shape.width, word.data)
        self.index += 1
        self.left -= 1
        if word.last:
            self.index, self.headed = 0, False
            self.number = self.number + 1 & self._tag
        if self.left:
            return False
        self.left = self.whole
        final = self._final_block
        self.blocks = self.blocks[1:]
        return final

    def _random(self) -> int:
        """Return a relative address from the random number, 0 if there is none in it."""
        size = self.shape.nodes
        return next((found for low in self._fields if (found := self._targets >> low & size - 1)), 0)

    def _draw(self) -> None:
        """Draw a message."""
        given, shape, random = self._settings, self.shape, self._random()
        choice, turn = self._ways & 0xFFFF, self._ways >> 16 & shape.nodes - 1
        span = self._lengths >> 16
        self.whole = given["length"] + (span * given["spread"] >> 16) & (1 << WORDS_BITS) - 1
        if self._lengths & 0xFFFF < given["other_share"]:
            self.whole = given["other"]
        self.left, self.index, self.headed = self.whole, 0, False
        self.blocks, self._listed = [], set()
        self.lost = self.everyone = False
        if shape.multicast and choice < given["broadcast"]:
            self.drawn = self.everyone = True
            self.kind, self.r1, self.r2 = Kind.ALL, 0, shape.nodes - 1
            if self._of("spanned") & self._everywhere != self._everywhere:
                self.kind, self.lost = Kind.LIST, not self._of("spanned")
                self._send_to(self._of("spanned"))
        elif shape.multicast and choice < given["listed"]:
            self.kind, self.lost = Kind.LIST, not self._of("spanned")
            self.drawn = self.lost
            if not self.lost:
                self.lacking = given["members"]
                self._add(random)
        else:
            relative = given["fixed"] if self._targets >> 16 < given["share"] else random
            self.drawn, self.kind = bool(relative), Kind.ONE
            self.lost = not self._of("reached") >> relative & 1
            self.r1 = self._first_run(relative, turn)
            self.r2 = relative ^ self.r1

    def _of(self, name: str) -> int:
        """Return a setting with a bit for each destination; without tables all are set."""
        return self._settings.get(name, (1 << self.shape.nodes) - 1)

    def _first_run(self, relative: int, turn: int) -> int:
        """Return r1 of a unicast."""
        policy = self._settings["policy"]
        if self.shape.runs == 1:
            return relative
        if not self._of("free") >> relative & 1:
            return sum((self._of(f"way_{k}") >> relative & 1) << k for k in range(self.shape.dim))
        if policy == Policy.E_CUBE:
            return relative
        if policy == Policy.EITHER:
            return relative if self._ways >> 31 else 0
        if policy == Policy.RANDOM:
            return relative & turn
        # No dimension below the lowest in which the nodes differ: the packet would turn back there.
        lowest = next((k for k in range(self.shape.dim) if relative >> k & 1), self.shape.dim)
        return turn >> lowest << lowest

    def _add(self, relative: int) -> None:
        """Add a node to a list, unless it is on it or must not be; a list that lacks none is sent."""
        if relative and self._of("spanned") >> relative & 1 and relative not in self._listed:
            self._listed.add(relative)
            self.lacking -= 1
        self.drawn = not self.lacking
        if self.drawn:
            self._send_to(sum(1 << node for node in self._listed))

    def _send_to(self, bitmap: int) -> None:
        """Send to a list, block by block."""
        starts = range(0, self.shape.nodes, self.shape.block)
        self.blocks = [(bits, start) for start in starts if (bits := bitmap >> start & self._block)]

    def shows(self, word: Came | None) -> bool:
        """Return whether a word that comes is none of the router's own."""
        return word is not None and self._led == self.shape.lead

    def take(self, word: Came | None) -> None:
        """Take the edge of the sink, with the word that comes."""
        self.done = word is not None and bool(word.last)
        if word is None:
            return
        skip = leading = self._led < self.shape.lead
        if self.shape.bitmaps and not self._within and word.kind == Kind.LIST:
            skip = True
        self._led = 0 if word.last else self._led + leading
        source, number, words, bad = self.ended
        if skip:
            words, bad = 0, False
        elif not self._tagged:
            number = word.data & self._tag
            tag = word.data >> self.shape.number_bits
            source, words, bad = tag & self.shape.nodes - 1, 1, tag >= self.shape.nodes
            self._expected = follow(self.shape.width, word.data)
        else:
            words, bad = words + 1 & (1 << WORDS_BITS) - 1, bad or word.data != self._expected
            self._expected = follow(self.shape.width, self._expected)
        self.ended = Ended(source, number, words, bool(bad or (word.last and (word.error or skip))))
        self._within = not word.last
        self._tagged = self._within and not skip

    def outputs(self, load: int, offered: Offer | None, ready: int, came: int, heading: int = 0) -> Outputs:
        """Return what the node tells of itself in this cycle; ``came``: what :meth:`shows` says of the word."""
        outputs: Outputs = {"arrived": self.arrived, "idle": int(not self.backlog), "came__valid": came}
        outputs |= {f"came__{name}": int(value) for name, value in zip(Ended._fields, self.ended, strict=True)}
        outputs["came__done"] = int(self.done)
        word = offered if offered is not None and ready else None
        head = word is not None and self.head
        outputs |= {"sent__valid": int(word is not None and not heading), "sent__begins": int(head)}
        outputs["sent__closes"] = int(head and self.closes)
        outputs["sent__left"] = self.left if head else 0
        refused = self.refuses(load)
        outputs |= {"draws": int(self.draws(load, offered, ready, heading)), "refused": int(refused)}
        outputs["sent__everyone"] = int((refused or word is not None) and self.everyone)
        outputs |= {f"sent__{name}": int(getattr(word, name, 0)) for name in ("r1", "r2", "block")}
        outputs["sent__whom"] = int(word.kind) if word is not None else 0
        if refused and self.kind != Kind.LIST:
            outputs |= {"sent__r1": self.r1, "sent__r2": self.r2}
        return outputs

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get = inputs.get
        self.address = get("address", 0)
        self.adopt(inputs)
        load, offered = get("load", 0), self.offer(get("load", 0))
        ready, heading = get("inject__ready", 0), get("inject__heading", 0)
        word = Came(*(get(f"eject__{name}", 0) for name in Came._fields)) if get("eject__valid") else None
        outputs = self.outputs(load, offered, ready, int(self.shows(word)), heading)
        outputs |= {"eject__ready": 1, "inject__valid": int(offered is not None)}
        outputs |= {f"inject__{name}": getattr(offered, name, None) for name in Offer._fields}
        if get("rst"):
            self.reset()
            return outputs
        self.edge(load, get("enable", 0), offered, ready, heading)
        self.take(word)
        return outputs
