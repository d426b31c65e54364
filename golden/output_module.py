"""Output module: streams of copies, one for each port, each at its own pace."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from cubecast.golden.config import Config
from cubecast.golden.output_port import OutputPort
from cubecast.golden.ports import Inputs, Outputs, Word, bits, split

__all__ = ["Header", "OutputModule"]

K, LIST, CONTROL, BODY = range(4)
PHASES = ("K", "LIST", "CONTROL", "BODY")


@dataclasses.dataclass
class Header:
    """What the streams need to know of the message that is in; it does not change while copies go out.

    ``rows`` are rows 1..m of the store, ``control`` is row 0, ``controls`` the control vectors for the dimensions.
    """

    rows: Sequence[int]
    controls: Sequence[int]
    address: int = 0
    multicast: int = 0
    listed: int = 0
    control: int = 0
    closed: int = 0
    closed_error: int = 0


class OutputModule:
    """Twin of the output module; a copy offers its first word in the clock after its launch.

    ``active`` is the mask of the ports with a copy; ``rows``, ``k``, ``phase`` and ``pointer`` are lists by port.

    Parameters
    ----------
    config : Config
        Parameters of the router.

    Source: Lan 1988, section 6.4, item 5; the k field of a broadcast is sent on unchanged (L7), so is a list of more
    than m destinations (L8).
    """

    def __init__(self, config: Config) -> None:
        """Start in reset."""
        self.config = config
        self._local = config.local
        self._pointer_mask = (1 << config.buffer_depth.bit_length()) - 1
        ports = config.ports
        self.rows = [0] * ports
        self.k = [0] * ports
        self.phase = [K] * ports
        self.pointer = [0] * ports
        self.active = 0

    def reset(self) -> None:
        """Set all registers to their reset values."""
        for registers in (self.rows, self.k, self.phase, self.pointer):
            registers[:] = [0] * len(registers)
        self.active = 0

    def word(self, port: int, header: Header, stored: Word | None) -> Word | None:
        """Return the word that a port offers; ``stored`` is that at its pointer, None if it has not come yet."""
        if not self.active >> port & 1:
            return None
        phase = self.phase[port]
        if phase == BODY:
            return (stored[0], stored[1], stored[1] & stored[2]) if stored else None
        if phase == K:
            return self.k[port], 0, 0
        if phase == CONTROL:
            return self._control(port, header), header.closed, header.closed & header.closed_error
        if header.multicast:
            return OutputPort.destination(header.rows, self.rows[port], header.address), 0, 0
        return (stored[0], 0, 0) if stored else None

    def _control(self, port: int, header: Header) -> int:
        """Return the control word (source address, in the fault-free format) of the copy at a port."""
        if not self.config.fault_tolerant:
            return header.control ^ header.address
        if port == self._local:
            return header.control
        return 0 if header.multicast else header.controls[port]

    def moved(self, port: int, header: Header, last: int) -> None:
        """Take the edge of a clock in which the word offered at a port, with this ``last``, moved."""
        phase = self.phase[port]
        if phase == BODY:
            self._next(port)
            if last:
                self.active &= ~(1 << port)
        elif phase == K:
            self.phase[port] = LIST if header.multicast or header.listed else CONTROL
        elif phase == CONTROL:
            if header.closed:
                self.active &= ~(1 << port)
            else:
                self.phase[port] = BODY
        elif header.multicast:
            if OutputPort.one_left(self.rows[port]):
                self.phase[port] = CONTROL
            self.rows[port] = OutputPort.remaining(self.rows[port])
        else:
            if self.pointer[port] == self.k[port] - 1:
                self.phase[port] = CONTROL
            self._next(port)

    def _next(self, port: int) -> None:
        """Count a pointer up."""
        self.pointer[port] = self.pointer[port] + 1 & self._pointer_mask

    def launch(self, port: int, rows: int, k: int) -> None:
        """Take the edge of a clock that launches a copy in a dimension."""
        self.active |= 1 << port
        self.rows[port] = rows
        self.k[port] = k
        self.phase[port] = K
        self.pointer[port] = 0

    def launch_local(self, skip: int) -> None:
        """Take the edge of a clock that launches the copy for the local processor."""
        self.active |= 1 << self._local
        self.phase[self._local] = CONTROL
        self.pointer[self._local] = skip

    def step(self, inputs: Inputs) -> Outputs:
        """Return this clock's outputs and take the edge."""
        get = inputs.get
        config = self.config
        header = Header(
            rows=split(get("rows", 0), config.dim, config.max_dest),
            controls=split(get("controls", 0), config.dim, config.dim),
            **{name: get(name, 0) for name in ("address", "multicast", "listed", "control", "closed", "closed_error")},
        )
        outputs: Outputs = {"idle": int(not self.active)}
        moved = []
        for j in range(config.ports):
            outputs[f"pointer__{j}"] = self.pointer[j]
            stored = None
            if self.phase[j] == LIST or self.pointer[j] < get("level", 0):
                stored = get(f"word__{j}__data", 0), get(f"word__{j}__last", 0), get(f"word__{j}__error", 0)
            word = self.word(j, header, stored)
            outputs[f"o__{j}__valid"] = int(word is not None)
            outputs[f"o__{j}__data"], outputs[f"o__{j}__last"], outputs[f"o__{j}__error"] = word or (None, None, None)
            if word and get(f"o__{j}__ready"):
                moved.append((j, word[1]))
        if get("rst"):
            self.reset()
            return outputs
        for j, last in moved:
            self.moved(j, header, last)
        for j in bits(get("launch", 0)):
            self.launch(j, get("launch_rows", 0), get("launch_k", 0))
        if get("launch_local"):
            self.launch_local(get("skip", 0))
        return outputs

    def trace(self) -> str:
        """Return what each active copy is at, in one line."""
        names = [*map(str, range(self._local)), "LOCAL"]
        return " ".join(f"{names[j]}:{PHASES[self.phase[j]]}@{self.pointer[j]}" for j in bits(self.active))
