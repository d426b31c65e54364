"""Reporter: what went wrong with a message, one report after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from cubecast.golden.common.twins.ports import Inputs, Outputs, split
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.contract.reason import Reason
from cubecast.golden.multicast.contract.states import State

__all__ = ["Item", "Reporter"]

OUTPUT = int(State.OUTPUT)
UNDELIVERABLE, NO_LANE, COPY_CUT = int(Reason.UNDELIVERABLE), int(Reason.NO_LANE), int(Reason.COPY_CUT)
NONE, MALFORMED, BROKEN, ROW, LISTED, SUBSET = range(6)


class Item(NamedTuple):
    """What the reporter is at: its source, and the report if ``valid``; otherwise it is passed over at once."""

    source: int = NONE
    valid: int = 0
    reason: int = 0
    destination: int = 0


NOTHING = Item()


class Reporter:
    """Twin of the reporter; offers at most one report per cycle.

    Registers: ``pending`` and ``pending_reason`` of a malformed or truncated message; ``good``, that a header was
    complete; ``cut_copies``, the copies whose payload was cut; ``lost_copies``, the copies lost with their header, to
    be scanned for. ``scanning``: who will not be reached is looked for in the list (pointer ``scan``), or is
    enumerated (``subset``); it is the relative addresses of ``base`` and any part of ``mask``, and ``scan_reason``
    says why.

    Parameters
    ----------
    config : Config
        Parameters of the router.

    Source: Lan 1988, section 7.5 leaves these cases open (L13): of r blocked dimensions, 2**r - 1 nodes are not
    reached.
    """

    def __init__(self, config: Config) -> None:
        """Start in reset."""
        self.config = config
        self._scan_mask = (1 << config.buffer_depth.bit_length()) - 1
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.pending = self.pending_reason = self.good = 0
        self.cut_copies = self.lost_copies = 0
        self.scanning = self.scan = self.scan_reason = 0
        self.base = self.mask = self.subset = 0

    def idle(self, multicast: int, remaining: int) -> bool:
        """Return whether nothing is to be reported; ``remaining`` is the mask of the rows of `a` that are not zero."""
        if self.pending or self.cut_copies or self.lost_copies or self.scanning:
            return False
        return not (self.good and multicast and remaining)

    def offer(
        self,
        *,
        state: int,
        multicast: int,
        listed: int,
        broadcast: int,
        lost_row: int,
        fault: int,
        no_lane: int,
        copies_idle: int,
        address: int,
        list_word: int,
    ) -> Item:
        """Return what the reporter is at; ``lost_row`` is the lowest row not zero, 0 if none or not ``terminate``."""
        if self.pending:
            return Item(MALFORMED, 1, self.pending_reason, 0)
        if self.cut_copies:
            return Item(BROKEN, 1, COPY_CUT, address ^ self.cut_copies & -self.cut_copies)
        if state != OUTPUT:
            return NOTHING
        if self.good and multicast and lost_row:
            return Item(ROW, 1, NO_LANE if lost_row & no_lane & ~fault else UNDELIVERABLE, lost_row ^ address)
        if self.scanning and listed and copies_idle:
            relative, base = list_word ^ address, self.base
            behind = relative and relative & base == base and not relative & ~(base | self.mask)
            return Item(LISTED, int(bool(behind)), self.scan_reason, list_word)
        if self.scanning and broadcast:
            return Item(SUBSET, 1, self.scan_reason, address ^ (self.base | self.subset))
        return NOTHING

    def passed(self, source: int, k: int) -> None:
        """Take the edge of a cycle in which the item of this source was taken or passed over."""
        if source == MALFORMED:
            self.pending = 0
        elif source == BROKEN:
            self.cut_copies &= self.cut_copies - 1
        elif source == LISTED:
            if self.scan == k - 1:
                self.scanning = 0
            self.scan = self.scan + 1 & self._scan_mask
        elif source == SUBSET:
            if self.subset == self.mask:
                self.scanning = 0
            self.subset = self.subset - self.mask & self.mask

    def keep(self, committed: int) -> int:
        """Return the lost dimension whose nodes the other copies take over, if a scan begins in this cycle.

        As long as no copy came to its control word, what lies behind the lost copy stays in their care.
        """
        if committed or self.scanning:
            return 0
        return self.lost_copies & -self.lost_copies

    def begin(self, committed: int, source: int, kept: int, controls: Sequence[int]) -> None:
        """Take the edge of a cycle in which the scan for a lost copy can begin; :meth:`keep` goes first."""
        if self.scanning or not self.lost_copies:
            return
        self.base = self.lost_copies & -self.lost_copies
        self.lost_copies ^= self.base
        self.mask = controls[self.base.bit_length() - 1] if committed else source & kept
        self.scan_reason = UNDELIVERABLE
        self.subset = self.scan = 0
        self.scanning = 1

    def header(self, control: int, fault: int, no_lane: int, multicast: int) -> None:
        """Take the edge of the cycle in which a good header was complete."""
        self.good = 1
        self.base = 0
        self.mask = control & (fault | no_lane)
        self.subset = self.mask & -self.mask
        self.scan_reason = NO_LANE if control & no_lane & ~fault else UNDELIVERABLE
        self.scan = 0
        self.scanning = int(not multicast and self.mask != 0)

    def dropped(self, lost: int, broken: int) -> None:
        """Take the edge of a cycle in which copies were dropped."""
        self.lost_copies |= lost
        self.cut_copies |= broken

    def clear(self) -> None:
        """Take the edge of a cycle in which a new message begins, or ends before its header does."""
        self.good = self.scanning = self.cut_copies = self.lost_copies = 0

    def wrong(self, reason: int) -> None:
        """Take the edge of a cycle with a malformed word, or one that truncates the message."""
        self.pending = 1
        self.pending_reason = reason

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get, dim = inputs.get, self.config.dim
        rows = split(get("a", 0), dim, self.config.max_dest)
        lowest = next((index for index, row in enumerate(rows) if row), None)
        multicast, address = get("multicast", 0), get("address", 0)
        fault, no_lane, committed = get("fault", 0), get("no_lane", 0), get("committed", 0)
        item = self.offer(
            state=get("state", 0),
            multicast=multicast,
            listed=get("listed", 0),
            broadcast=get("broadcast", 0),
            lost_row=rows[lowest] if lowest is not None and get("terminate", 0) else 0,
            fault=fault,
            no_lane=no_lane,
            copies_idle=get("copies_idle", 0),
            address=address,
            list_word=get("list_word", 0),
        )
        taken = item.valid and get("o__ready", 0)
        good_end = get("header_end", 0) and not get("bad", 0)
        outputs: Outputs = {
            "pointer": self.scan,
            "reset_rows": 1 << lowest if taken and item.source == ROW and lowest is not None else 0,
            "keep": 0 if good_end else self.keep(committed),
            "idle": int(self.idle(multicast, int(lowest is not None))),
            "o__valid": item.valid,
            "o__reason": item.reason if item.valid else None,
            "o__destination": item.destination if item.valid else None,
        }
        if not good_end:
            self.begin(committed, get("source", 0), get("kept", 0), split(get("controls", 0), dim, dim))
        if taken or not item.valid:
            self.passed(item.source, get("k", 0))
        if good_end:
            self.header(get("control", 0), fault, no_lane, multicast)
        self.dropped(get("lost", 0), get("broken", 0))
        if get("clear"):
            self.clear()
        if get("bad") or get("truncated"):
            self.wrong(get("reason", 0))
        if self.config.reads_ahead and self.config.carries_lists:
            outputs["ahead"] = self.scan
        if get("rst"):
            self.reset()
        return outputs
