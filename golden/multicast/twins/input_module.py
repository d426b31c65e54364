"""Input module: what each word of an incoming message is, and where it goes."""

from __future__ import annotations

from typing import NamedTuple

from cubecast.golden.common.twins.ports import Inputs, Outputs, Word
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.contract.reason import Reason
from cubecast.golden.multicast.contract.states import State
from cubecast.golden.multicast.twins.type_checker import Kind

__all__ = ["NOTHING", "Decoded", "InputModule"]

WAIT, INPUT = int(State.WAIT), int(State.INPUT)
K_ZERO, LIST_TOO_LONG = int(Reason.K_ZERO), int(Reason.LIST_TOO_LONG)
HEADER_SHORT, ADDRESS_BITS = int(Reason.HEADER_SHORT), int(Reason.ADDRESS_BITS)
DATA_TOO_LONG, INPUT_CUT = int(Reason.DATA_TOO_LONG), int(Reason.INPUT_CUT)


class Decoded(NamedTuple):
    """What is done with a word; the combinational outputs of the unit."""

    push: int = 0
    push_data: int = 0
    push_last: int = 0
    push_error: int = 0
    clear: int = 0
    write: int = 0
    row: int = 0
    check: int = 0
    header_end: int = 0
    bad: int = 0
    truncated: int = 0
    reason: int = 0


NOTHING = Decoded()
HIGH = Decoded(clear=1, bad=1, reason=ADDRESS_BITS)
SHORT = Decoded(clear=1, bad=1, reason=HEADER_SHORT)
CUT = Decoded(clear=1, bad=1, reason=INPUT_CUT)


class InputModule:
    """Twin of the input module; decodes the word taken in this cycle.

    Its registers keep the place in the message: the k field and the kind it announces, how many destinations are
    still ``left`` to come, whether the control word was taken, how many payload words came (``count``), and whether
    the copies are ``closed`` with the control word, with an error or not.

    Parameters
    ----------
    config : Config
        Parameters of the router.

    Source: Lan 1988, section 6.4, item 4, and section 6.2 for the format.
    """

    def __init__(self, config: Config) -> None:
        """Start in reset."""
        self.config = config
        self._source_field = config.source_field
        self._most = config.max_data
        self._row_mask = (1 << config.max_dest.bit_length()) - 1
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.k = self.left = self.count = 0
        self.is_multicast = self.is_listed = self.is_broadcast = 0
        self.control_taken = self.closed = self.closed_error = 0

    def take(
        self,
        state: int,
        discard: int,
        word: Word,
        field: int,
        high: int,
        kind: Kind,
        cut: int = 0,
    ) -> Decoded:
        """Decode a taken word and take the edge.

        ``kind`` is that of ``field``, needed for a k word only; with ``cut`` the word stands for what a cut link does
        not bring, which never is a k word.
        """
        data, last, error = word
        if state > INPUT:
            return NOTHING if discard else self._payload(data, last, error, cut)
        if state == WAIT:
            return self._k(last, field, high, kind)
        if cut:
            return CUT
        if self.left:
            return self._destination(data, last, high)
        if not self.control_taken:
            return self._control(last, error, high)
        return HIGH if high else self._source(data, last, error)

    def _k(self, last: int, field: int, high: int, kind: Kind) -> Decoded:
        """Take the k word."""
        self.k = field
        self.is_multicast, self.is_listed, self.is_broadcast = kind.multicast, kind.listed, kind.broadcast
        self.left = 0 if kind.broadcast else field
        self.count = self.control_taken = self.closed = self.closed_error = 0
        if high:
            reason = ADDRESS_BITS
        elif kind.zero:
            reason = K_ZERO
        elif kind.too_long:
            reason = LIST_TOO_LONG
        elif last:
            reason = HEADER_SHORT
        else:
            return Decoded(clear=1)
        return Decoded(clear=1, bad=1, reason=reason)

    def _destination(self, word: int, last: int, high: int) -> Decoded:
        """Take a destination."""
        if high:
            return HIGH
        if last:
            return SHORT
        row = self.k - self.left + 1 & self._row_mask
        self.left -= 1
        if self.is_multicast:
            return Decoded(check=1, write=1, row=row, push=self.is_listed, push_data=word)
        return Decoded(check=1, push=self.is_listed, push_data=word)

    def _control(self, last: int, error: int, high: int) -> Decoded:
        """Take the control word, or the source address of the fault-free format."""
        if high:
            return HIGH
        if self._source_field:
            if last:
                return SHORT
            self.control_taken = 1
            return Decoded(write=1)
        truncated = int(not last and self._most == 0)
        self.closed = last | truncated
        self.closed_error = last & error | truncated
        return Decoded(write=1, header_end=1, truncated=truncated, reason=DATA_TOO_LONG if truncated else 0)

    def _source(self, word: int, last: int, error: int) -> Decoded:
        """Take the source address that follows the control vector."""
        if not last and self._most == 0:
            return Decoded(1, word, 1, 1, header_end=1, truncated=1, reason=DATA_TOO_LONG)
        return Decoded(1, word, last, last & error, header_end=1)

    def _payload(self, word: int, last: int, error: int, cut: int) -> Decoded:
        """Take a payload word, or what ends the payload when the link is cut."""
        self.count += 1
        if cut:
            return Decoded(1, 0, 1, 1, truncated=1, reason=INPUT_CUT)
        if last:
            return Decoded(1, word, 1, error)
        if self.count == self._most:
            return Decoded(1, word, 1, 1, truncated=1, reason=DATA_TOO_LONG)
        return Decoded(1, word)

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get = inputs.get
        outputs: Outputs = {
            "k": self.k,
            "is_multicast": self.is_multicast,
            "is_listed": self.is_listed,
            "is_broadcast": self.is_broadcast,
            "closed": self.closed,
            "closed_error": self.closed_error,
        }
        strobes = NOTHING
        if get("taken"):
            kind = Kind(*(get(name, 0) for name in Kind._fields))
            word = get("word", 0), get("last", 0), get("error", 0)
            place = get("state", 0), get("discard", 0)
            strobes = self.take(*place, word, get("field", 0), get("high", 0), kind, get("cut", 0))
        outputs |= strobes._asdict()
        if not strobes.write:
            outputs["row"] = None
        if not strobes.push:
            outputs |= {"push_data": None, "push_last": None, "push_error": None}
        if not (strobes.bad or strobes.truncated):
            outputs["reason"] = None
        if get("rst"):
            self.reset()
        return outputs
