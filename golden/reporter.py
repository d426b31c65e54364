"""Reporter: what went wrong with a message, one report after the other."""

from __future__ import annotations

from typing import NamedTuple

from cubecast.golden.config import Config
from cubecast.golden.controller import State
from cubecast.golden.message import Reason
from cubecast.golden.ports import Inputs, Outputs, split

__all__ = ["Item", "Reporter"]

OUTPUT = int(State.OUTPUT)
UNDELIVERABLE, NO_LANE = int(Reason.UNDELIVERABLE), int(Reason.NO_LANE)
NONE, MALFORMED, ROW, LISTED, SUBSET = range(5)


class Item(NamedTuple):
    """What the reporter is at: its source, and the report if ``valid``; otherwise it is passed over at once."""

    source: int = NONE
    valid: int = 0
    reason: int = 0
    destination: int = 0


NOTHING = Item()


class Reporter:
    """Twin of the reporter; offers at most one report per clock, from registers only.

    Registers: ``pending`` and ``pending_reason`` of a malformed message; ``good``, that a header was complete; the
    dimensions ``lost`` to the message and those ``faulty`` when its header was complete; ``scanning`` the list
    (pointer ``scan``) or the nodes behind the lost dimensions (``subset``) for those that nobody will reach.

    Parameters
    ----------
    config : Config
        Parameters of the router.

    Source: Lan 1988, section 7.5 leaves these cases open (L13): of r lost dimensions, 2**r - 1 nodes are not reached.
    """

    def __init__(self, config: Config) -> None:
        """Start in reset."""
        self.config = config
        self._all = config.nodes - 1
        self._scan_mask = (1 << config.buffer_depth.bit_length()) - 1
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.pending = self.pending_reason = self.good = 0
        self.lost = self.faulty = self.subset = 0
        self.scanning = self.scan = 0

    def idle(self, multicast: int, remaining: int) -> bool:
        """Return whether nothing is to be reported; ``remaining`` is the mask of the rows of `a` that are not zero."""
        return not (self.pending or self.scanning or (self.good and multicast and remaining))

    def offer(
        self,
        state: int,
        multicast: int,
        listed: int,
        broadcast: int,
        destination: int | None,
        no_lane: int,
        copies_idle: int,
        address: int,
        list_word: int,
    ) -> Item:
        """Return what the reporter is at; ``destination`` is the address in the lowest row not zero, if any."""
        if self.pending:
            return Item(MALFORMED, 1, self.pending_reason, 0)
        if state != OUTPUT:
            return NOTHING
        reason = NO_LANE if no_lane else UNDELIVERABLE
        if self.good and multicast and destination is not None:
            return Item(ROW, 1, reason, destination)
        if self.scanning and listed and copies_idle:
            relative = list_word ^ address
            return Item(LISTED, int(relative != 0 and relative & ~self.lost == 0), reason, list_word)
        if self.scanning and broadcast:
            dead = self.subset.bit_count() == 1 and self.subset & self.faulty
            return Item(SUBSET, int(not dead), reason, address ^ self.subset)
        return NOTHING

    def passed(self, source: int, k: int) -> None:
        """Take the edge of a clock in which the item of this source was taken or passed over."""
        if source == MALFORMED:
            self.pending = 0
        elif source == LISTED:
            if self.scan == k - 1:
                self.scanning = 0
            self.scan = self.scan + 1 & self._scan_mask
        elif source == SUBSET:
            if self.subset == self.lost:
                self.scanning = 0
            self.subset = self.subset - self.lost & self.lost

    def header(self, control: int, fault: int, no_lane: int, multicast: int) -> None:
        """Take the edge of the clock in which a good header was complete."""
        self.good = 1
        self.lost = control & (self._all if no_lane else fault)
        self.faulty = fault
        self.scan = 0
        self.subset = self.lost & -self.lost
        self.scanning = int(not multicast and self.lost != 0)

    def clear(self) -> None:
        """Take the edge of a clock in which a new message begins."""
        self.good = self.scanning = 0

    def wrong(self, reason: int) -> None:
        """Take the edge of a clock with a malformed word."""
        self.pending = 1
        self.pending_reason = reason

    def step(self, inputs: Inputs) -> Outputs:
        """Return this clock's outputs and take the edge."""
        get = inputs.get
        rows = split(get("a", 0), self.config.dim, self.config.max_dest)
        lowest = next((index for index, row in enumerate(rows) if row), None)
        multicast, no_lane, address = get("multicast", 0), get("no_lane", 0), get("address", 0)
        item = self.offer(
            get("state", 0),
            multicast,
            get("listed", 0),
            get("broadcast", 0),
            None if lowest is None else rows[lowest] ^ address,
            no_lane,
            get("copies_idle", 0),
            address,
            get("list_word", 0),
        )
        taken = item.valid and get("o__ready", 0)
        outputs: Outputs = {
            "pointer": self.scan,
            "reset_rows": 1 << lowest if taken and item.source == ROW and lowest is not None else 0,
            "idle": int(self.idle(multicast, int(lowest is not None))),
            "o__valid": item.valid,
            "o__reason": item.reason if item.valid else None,
            "o__destination": item.destination if item.valid else None,
        }
        if get("rst"):
            self.reset()
            return outputs
        if taken or not item.valid:
            self.passed(item.source, get("k", 0))
        if get("header_end") and not get("bad"):
            self.header(get("control", 0), get("fault", 0), no_lane, multicast)
        if get("clear"):
            self.clear()
        if get("bad") or get("overlong"):
            self.wrong(get("reason", 0))
        return outputs
