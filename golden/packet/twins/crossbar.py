"""Crossbar: packet buffer units, buffer slots and the detour at one side, links and node at the other."""

from __future__ import annotations

from collections.abc import Sequence

from cubecast.golden.common.twins.ports import Inputs, Outputs, bits
from cubecast.golden.common.twins.sleep import Sleepers
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.twins.crossbar_output import CrossbarOutput
from cubecast.golden.packet.twins.flit import Flit, flit_input, flit_outputs

__all__ = ["Crossbar"]


class Crossbar:
    """Twin of the crossbar.

    Requesters are numbered: packet buffer units from 0, slots from n, the detour is 2n. Requests, accepts and grants
    of a requester are masks of ports. A cycle has two halves: :meth:`offer` finds what goes out (``sent`` by port) and
    whose flits are ``taken``, :meth:`edge` takes the edge and leaves ``waited``, ``word_out`` and ``packet_out`` of the
    cycle, and in ``wanted``, by port, the mask of the requesters of its output that requested it. ``grants`` and
    ``reports`` are functions of registers.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router.

    Source: Buzzard 1988, section 5.4.3, figure 5.5.
    """

    def __init__(self, config: PacketConfig) -> None:
        """Start in reset."""
        self.config = config
        n = self._local = config.dim
        self.count = 2 * n + 1
        detour = [2 * n] if config.fault_tolerant else []
        self.members = [[n + j, *detour, *(i for i in range(n if config.contrary else j) if i != j)] for j in range(n)]
        self.members.append(list(range(n)))
        self.outputs = [
            CrossbarOutput(config, count=len(members), local=port == n) for port, members in enumerate(self.members)
        ]
        # Of requester and port: the requester's bit at the port's output, 0 if they are not connected.
        self._bit = [
            [1 << members.index(requester) if requester in members else 0 for members in self.members]
            for requester in range(self.count)
        ]
        self._active = Sleepers(self.outputs)
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        for output in self.outputs:
            output.reset()
        self._active.reset()
        self.sent: list[Flit | None] = [None] * len(self.outputs)
        self.taken = 0
        self.waited = 0
        self.word_out = 0
        self.packet_out = 0
        self.wanted: dict[int, int] = {}

    @property
    def resting(self) -> bool:
        """Whether an edge changes nothing as long as nobody requests anything."""
        return not self._active.awake

    @property
    def grants(self) -> list[int]:
        """The ports that each requester is granted."""
        grants = [0] * self.count
        for port in self._active.awake:
            granted = self.outputs[port].granted
            if granted >= 0:
                grants[self.members[port][granted]] |= 1 << port
        return grants

    @property
    def reports(self) -> int:
        """Mask of the ports whose output has a report."""
        return sum(1 << port for port in self._active.awake if self.outputs[port].queue.entries)

    def owner(self, port: int) -> int:
        """Return the requester whose packet goes out through a port, -1 if none does."""
        output = self.outputs[port]
        return self.members[port][output.owner] if output.held else -1

    def offer(self, flits: Sequence[Flit | None], cut: int, ready: int) -> None:
        """Find what goes out in this cycle, given the requesters' flits and the masks of cut links and ready sinks."""
        self.sent, taken = [None] * len(self.outputs), 0
        for port in self._active.awake:
            output = self.outputs[port]
            if output.held:
                owner = self.members[port][output.owner]
                output.offer(flits[owner], cut >> port & 1, ready >> port & 1)
                self.sent[port] = output.sent
                taken |= output.taken << owner
        self.taken = taken

    def sent_back(self, cut: int, refused: int) -> int:
        """Return the mask of the requesters whose packet the far end refuses in this cycle."""
        requesters = 0
        for port in bits(refused):
            if self.outputs[port].sent_back(cut >> port & 1, 1):
                requesters |= 1 << self.owner(port)
        return requesters

    def edge(
        self,
        flits: Sequence[Flit | None],
        requests: Sequence[int],
        accepts: Sequence[int],
        closing: int,
        opened: int,
        cut: int,
        refused: int = 0,
        report_taken: int = 0,
    ) -> None:
        """Take the edge of the cycle of :meth:`offer`.

        Parameters
        ----------
        flits, requests, accepts : sequences
            Of the requesters.
        closing : int
            Mask of the requesters.
        opened, cut, refused, report_taken : int
            Masks of the ports.
        """
        wanted = self.wanted = self._wanted(requests)
        waited = word_out = packet_out = 0
        for port in self._active.due(wanted):
            output, members = self.outputs[port], self.members[port]
            owner, following = members[output.owner], members[output.next]
            output.edge(
                flits[owner],
                wanted.get(port, 0),
                (accepts[following] >> port & 1) << output.next,
                (closing >> owner & 1) << output.owner,
                opened >> port & 1,
                cut >> port & 1,
                refused >> port & 1,
                report_taken >> port & 1,
            )
            waited |= output.waited << port
            word_out |= output.word_out << port
            packet_out |= output.packet_out << port
        self._active.settle()
        self.waited, self.word_out, self.packet_out = waited, word_out, packet_out

    def _wanted(self, requests: Sequence[int]) -> dict[int, int]:
        """Return who wants which port: masks over the requesters of its output."""
        wanted: dict[int, int] = {}
        for requester, mask in enumerate(requests):
            if mask:
                for port in bits(mask):
                    wanted[port] = wanted.get(port, 0) | self._bit[requester][port]
        return wanted

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get, n = inputs.get, self._local
        names = [*(f"pbu__{i}" for i in range(n)), *(f"slot__{j}" for j in range(n))]
        if self.config.fault_tolerant:
            names.append("detour")
        flits = [flit_input(f"{name}__flit", inputs) for name in names]
        # A slot has one bit of requests, for its own dimension.
        shifts = [requester - n if n <= requester < 2 * n else 0 for requester in range(self.count)]
        requests, accepts = (
            [get(f"{name}__{field}", 0) << shift for name, shift in zip(names, shifts, strict=False)]
            for field in ("request", "accept")
        )
        idle = self.count - len(names)
        flits, requests, accepts = flits + [None] * idle, requests + [0] * idle, accepts + [0] * idle
        closing = sum(get(f"{name}__closing", 0) << requester for requester, name in enumerate(names))
        cut, refused = get("cut", 0), get("refused", 0)
        self.offer(flits, cut, sum(get(f"o__{port}__ready", 0) << port for port in range(n + 1)))
        sent_back, outputs = self.sent_back(cut, refused), Outputs()
        for requester, (name, grant) in enumerate(zip(names, self.grants, strict=False)):
            outputs[f"{name}__flit__ready"] = self.taken >> requester & 1
            outputs[f"{name}__grant"] = grant >> shifts[requester]
            if requester >= n:
                outputs[f"{name}__refused"] = sent_back >> requester & 1
        for port, flit in enumerate(self.sent):
            outputs |= flit_outputs(f"o__{port}", flit)
        report_taken = 0
        for port in range(n):
            report = self.outputs[port].queue.oldest
            outputs[f"report__{port}__valid"] = int(report is not None)
            fields = report if report is not None else (None, None)
            outputs[f"report__{port}__reason"], outputs[f"report__{port}__destination"] = fields
            if report is not None:
                report_taken |= get(f"report__{port}__ready", 0) << port
        self.edge(flits, requests, accepts, closing, get("open", 0), cut, refused, report_taken)
        outputs |= {"waited": self.waited, "word_out": self.word_out, "packet_out": self.packet_out}
        if get("rst"):
            self.reset()
        return outputs
