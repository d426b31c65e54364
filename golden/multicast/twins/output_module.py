"""Output module: streams of copies, one for each port, each at its own pace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from cubecast.golden.common.twins.ports import Inputs, Outputs, Word, bits, split
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.contract.states import Phase
from cubecast.golden.multicast.twins.output_port import OutputPort

__all__ = ["NO_DROP", "Dropped", "Header", "OutputModule"]

K, LIST, CONTROL, BODY = (int(phase) for phase in Phase)
PHASES = ("K", "LIST", "CONTROL", "BODY")


class Dropped(NamedTuple):
    """What becomes of the copies dropped in a cycle: rows to be decided again, and masks of dimensions."""

    restore_rows: int = 0
    lost: int = 0
    broken: int = 0


NO_DROP = Dropped()


class Header(NamedTuple):
    """What the streams need to know of the message that is in.

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
    """Twin of the output module; a copy offers its first word in the cycle after its launch.

    ``active`` is the mask of the ports with a copy; ``sublist``, ``pending``, ``k``, ``phase`` and ``pointer`` are
    lists by port. ``committed``: since the last launch, a copy for a dimension came to its control word. ``served``:
    for each streamer the port it serves, or None; with one for each port every copy has its own.

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
        self._links = config.nodes - 1
        self._shared = config.shares_streamers
        self._source_field = config.source_field
        self._pointer_mask = (1 << config.buffer_depth.bit_length()) - 1
        ports = config.ports
        self.sublist = [0] * ports
        self.pending = [0] * ports
        self.k = [0] * ports
        self.phase = [K] * ports
        self.pointer = [0] * ports
        self.served: list[int | None] = [None] * config.streamers
        self.active = 0
        self.committed = 0
        self._skip = 0
        self._level = 0

    def reset(self) -> None:
        """Set all registers to their reset values."""
        for registers in (self.sublist, self.pending, self.k, self.phase, self.pointer):
            registers[:] = [0] * len(registers)
        self.served = [None] * len(self.served)
        self.active = 0
        self.committed = 0
        self._skip = 0
        self._level = 0

    @property
    def copies(self) -> int:
        """Mask of the dimensions with a copy."""
        return self.active & self._links

    def dropped(self, cut: int, multicast: int, skip: int) -> Dropped:
        """Return what becomes of the copies for the links of the mask ``cut``, before their :meth:`drop`.

        The receiver discards a copy whose header is open; of any other it has all but the end of the payload.
        """
        restore_rows = lost = broken = 0
        for j in bits(self.copies & cut):
            if self.phase[j] == BODY and not (self._source_field and self.pointer[j] == skip):
                broken |= 1 << j
            elif multicast:
                restore_rows |= self.sublist[j]
            else:
                lost |= 1 << j
        return Dropped(restore_rows, lost, broken)

    def drop(self, cut: int) -> None:
        """Take the edge of a cycle in which the links of the mask ``cut`` are cut; their copies make no step."""
        self._end(self.copies & cut)

    def _end(self, ports: int) -> None:
        """End the copies of the mask ``ports``, and let their streamers go."""
        self.active &= ~ports
        if self._shared:
            for i, port in enumerate(self.served):
                if port is not None and ports >> port & 1:
                    self.served[i] = None
                    self.pointer[port] = 0

    @property
    def offers(self) -> int:
        """Mask of the ports with a copy that does not wait for a streamer."""
        if not self._shared:
            return self.active
        return sum(1 << port for port in self.served if port is not None)

    def _streamer(self, port: int) -> int | None:
        """Return which streamer has the copy of a port, None if that waits for one."""
        if not self._shared:
            return port
        return self.served.index(port) if port in self.served else None

    @property
    def _pointers(self) -> list[int]:
        """The pointers of the streamers."""
        if not self._shared:
            return self.pointer
        return [0 if port is None else self.pointer[port] for port in self.served]

    def serve(self) -> None:
        """Take the end of an edge: streamers without a copy take the lowest ports whose copies wait."""
        if self._shared:
            waiting = self.active & ~self.offers
            for i, port in enumerate(self.served):
                if port is None and waiting:
                    self.served[i] = (waiting & -waiting).bit_length() - 1
                    waiting &= waiting - 1

    def word(self, port: int, header: Header, stored: Word | None) -> Word | None:
        """Return the word that a port offers; ``stored`` is that at its pointer, None if it has not come yet."""
        if not self.offers >> port & 1:
            return None
        phase = self.phase[port]
        if phase == BODY:
            return (stored[0], stored[1], stored[1] & stored[2]) if stored else None
        if phase == K:
            return self.k[port], 0, 0
        if phase == CONTROL:
            return self._control(port, header), header.closed, header.closed & header.closed_error
        if header.multicast:
            return OutputPort.destination(header.rows, self.pending[port], header.address), 0, 0
        return (stored[0], 0, 0) if stored else None

    def _control(self, port: int, header: Header) -> int:
        """Return the control word (source address, in the fault-free format) of the copy at a port."""
        if not self.config.fault_tolerant:
            return header.control ^ header.address
        if port == self._local:
            return header.control
        return 0 if header.multicast else header.controls[port]

    def moved(self, port: int, header: Header, last: int) -> None:
        """Take the edge of a cycle in which the word offered at a port, with this ``last``, moved."""
        phase = self.phase[port]
        if phase == BODY:
            self._next(port)
            if last:
                self._end(1 << port)
        elif phase == K:
            if header.multicast or header.listed:
                self.phase[port] = LIST
            else:
                self._commit(port)
        elif phase == CONTROL:
            if header.closed:
                self._end(1 << port)
            else:
                self.phase[port] = BODY
                if self._shared and port == self._local:
                    self.pointer[port] = self._skip
        elif header.multicast:
            if OutputPort.one_left(self.pending[port]):
                self._commit(port)
            self.pending[port] = OutputPort.remaining(self.pending[port])
        else:
            if self.pointer[port] == self.k[port] - 1:
                self._commit(port)
            self._next(port)

    def _commit(self, port: int) -> None:
        """Step into phase CONTROL, which a copy for the local processor begins with."""
        self.phase[port] = CONTROL
        self.committed = 1

    def _next(self, port: int) -> None:
        """Count a pointer up."""
        self.pointer[port] = self.pointer[port] + 1 & self._pointer_mask

    def launch(self, port: int, rows: int, k: int) -> None:
        """Take the edge of a cycle that launches a copy in a dimension."""
        self.active |= 1 << port
        self.committed = 0
        self.sublist[port] = self.pending[port] = rows
        self.k[port] = k
        self.phase[port] = K
        self.pointer[port] = 0

    def launch_local(self, skip: int) -> None:
        """Take the edge of a cycle that launches the copy for the local processor."""
        self.active |= 1 << self._local
        self.phase[self._local] = CONTROL
        self.pointer[self._local] = 0 if self._shared else skip
        self._skip = skip

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get = inputs.get
        config = self.config
        header = Header(
            rows=split(get("rows", 0), config.dim, config.max_dest),
            controls=split(get("controls", 0), config.dim, config.dim),
            **{name: get(name, 0) for name in ("address", "multicast", "listed", "control", "closed", "closed_error")},
        )
        cut = get("cut", 0)
        dropped = NO_DROP
        if self.copies & cut:
            dropped = self.dropped(cut, header.multicast, get("skip", 0))
        outputs: Outputs = {
            "idle": int(not self.active),
            "copies": int(self.copies != 0),
            "committed": self.committed,
            **dropped._asdict(),
        }
        outputs |= {f"pointer__{i}": pointer for i, pointer in enumerate(self._pointers)}
        moved = []
        for j in range(config.ports):
            stored, i = None, self._streamer(j)
            if i is not None and (self.phase[j] == LIST or self.pointer[j] < self._level):
                stored = get(f"word__{i}__data", 0), get(f"word__{i}__last", 0), get(f"word__{i}__error", 0)
            word = self.word(j, header, stored)
            outputs[f"o__{j}__valid"] = int(word is not None)
            outputs[f"o__{j}__data"], outputs[f"o__{j}__last"], outputs[f"o__{j}__error"] = word or (None, None, None)
            if word and get(f"o__{j}__ready") and (j == self._local or not cut >> j & 1):
                moved.append((j, word[1]))
        still = [j for j in range(config.ports) if not self.active >> j & 1 or (j != self._local and cut >> j & 1)]
        for j, last in moved:
            self.moved(j, header, last)
        for j in still:
            self.pointer[j] = get("skip", 0) if j == self._local and not self._shared else 0
        self._level = get("level", 0) + get("pushed", 0)
        self.drop(cut)
        for j in bits(get("launch", 0)):
            self.launch(j, get("launch_rows", 0), get("launch_k", 0))
        if get("launch_local"):
            self.launch_local(get("skip", 0))
        self.serve()
        if config.reads_ahead:
            outputs |= {f"ahead__{i}": pointer for i, pointer in enumerate(self._pointers)}
            if config.carries_lists:
                reads = self.served[0] is not None if self._shared else self.active >> self._local & 1
                outputs["delivers"] = int(reads)
        if get("rst"):
            self.reset()
        return outputs

    def trace(self) -> str:
        """Return what each active copy is at, in one line."""
        names = [*map(str, range(self._local)), "LOCAL"]
        offers = self.offers
        return " ".join(
            f"{names[j]}:{PHASES[self.phase[j]]}@{self.pointer[j]}{'' if offers >> j & 1 else ' waits'}"
            for j in bits(self.active)
        )
