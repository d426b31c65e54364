"""Cube: the routers of a hypercube joined by their links, as a network of any system."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Generic, Protocol, TypeVar

from cubecast.golden.common.contract.parameters import CubeParameters
from cubecast.golden.common.contract.units import ADDRESS_BITS, DATA_BITS, REASON_BITS
from cubecast.golden.common.twins.control_port import ControlPort
from cubecast.golden.common.twins.ports import Inputs, Outputs, Vectors, bits, join, split, stream
from cubecast.golden.common.twins.sleep import Sleeper, Sleepers

__all__ = ["Cube", "CubeNode", "CubeRouter", "access", "router_ports"]


class CubeRouter(Sleeper, Protocol):
    """What a cube has to know of its routers.

    A cycle has two halves. :meth:`offer` finds what the router puts out: ``link_out`` by dimension, ``ejected`` and
    ``report``. Then :meth:`edge` takes the edge. ``inject_ready`` (of the first local port), ``shown`` (what the far
    ends of the links see, by dimension) and ``down`` (mask of this router's FAULT bits, as they go over the links) are
    functions of registers.
    """

    control: ControlPort

    @property
    def link_out(self) -> Any:
        """What goes over the links."""

    @property
    def shown(self) -> Any:
        """What the far ends of the links see."""

    @property
    def inject_ready(self) -> int:
        """What the port of this name shows."""

    @property
    def ejected(self) -> Sequence[int] | None:
        """The word that goes to the local processor."""

    @property
    def report(self) -> Sequence[int] | None:
        """Reason, destination, port and lane of the report made."""

    @property
    def down(self) -> int:
        """The FAULT bits that go over the links."""

    def reset(self) -> None:
        """Set all registers to their reset values."""

    def quiet(self) -> bool:
        """Return whether nothing is anywhere in the router."""

    def trace(self) -> str:
        """Return what is in the router, in one line."""

    def offer(self, far: Sequence[Any], eject_ready: int) -> None:
        """Find what goes out in this cycle, given what the far ends show, by dimension."""

    def edge(self, arriving: Sequence[Any], down: int, word: Any, write: tuple[int, int] | None) -> None:
        """Take the edge: what comes over the links, neighbours' FAULT bits, local processor's word, register write."""


Router = TypeVar("Router", bound=CubeRouter)


def router_ports(router: CubeRouter) -> Outputs:
    """Return the ports of one router that those of all systems have, as they are before the edge."""
    outputs: Outputs = {"inject__ready": router.inject_ready, "control__read_data": router.control.read_data}
    outputs["multiple_faults"] = router.control.multiple_faults
    return outputs | stream("report", ("reason", "destination", "port", "lane"), router.report)


def access(inputs: Inputs) -> tuple[int, int] | None:
    """Return address and data of the write at the control port of one router, if there is one."""
    if not inputs.get("control__write"):
        return None
    return inputs.get("control__address", 0), inputs.get("control__write_data", 0)


class CubeNode(Generic[Router]):
    """A router with a unit at its local port, as the router that a cube sees; what leads to others is the router's own.

    Parameters
    ----------
    router : CubeRouter
        The router.
    """

    def __init__(self, router: Router) -> None:
        """Keep the router."""
        self.router, self.control = router, router.control

    @property
    def link_out(self) -> Any:
        """What goes over the links."""
        return self.router.link_out

    @property
    def shown(self) -> Any:
        """What the far ends of the links see."""
        return self.router.shown

    @property
    def down(self) -> int:
        """The FAULT bits that go over the links."""
        return self.router.down

    @property
    def report(self) -> Sequence[int] | None:
        """The report made."""
        return self.router.report

    def trace(self) -> str:
        """Return what is in the router, in one line."""
        return self.router.trace()


class Cube(Generic[Router]):
    """Twin of a network; ports are vectors with an item for each node.

    In the payload vectors of ``eject`` and ``report`` the item of a node whose valid bit is 0 is 0. What goes back over
    a link is in the item of the node that sends.

    ``routers`` are the routers by address, ``cycle`` counts the edges since reset.

    Parameters
    ----------
    routers : sequence
        The routers by address, in reset.
    config : CubeParameters
        Their dimension.
    inject, eject : mapping
        Fields of the words of the local ports, with their widths.
    local : tuple of str
        Names of the local ports.
    ready : int
        Width of ``inject_ready``.
    link, back : mapping
        Fields of ``link_out``, and of ``shown``, with their widths, 0: there is no such port.
    down : bool
        Whether FAULT bits go over the links.
    idle : object
        What is in ``link_out`` where nothing goes.
    probe : bool
        Whether the links can be seen: ports ``link_j_*`` for each dimension j.
    """

    def __init__(
        self,
        routers: Sequence[Router],
        config: CubeParameters,
        *,
        inject: Mapping[str, int],
        eject: Mapping[str, int],
        local: tuple[str, str] = ("inject", "eject"),
        ready: int = 1,
        link: Mapping[str, int],
        back: Mapping[str, int],
        down: bool = False,
        idle: Any = None,
        probe: bool = False,
    ) -> None:
        """Start in reset."""
        self.routers = routers
        self._dim, self._nodes = config.dim, len(routers)
        self._dims, self._probe, self._idle = range(config.dim), probe, idle
        self._registers = [router.control for router in routers]
        self._offers, self._takes = f"{local[0]}_valid", f"{local[1]}_ready"
        self._inject = [(f"{local[0]}_{name}", width) for name, width in inject.items()]
        report = {"reason": REASON_BITS, "destination": config.dim, "port": REASON_BITS, "lane": REASON_BITS}
        seen = self._dims if probe else range(0)
        # What is 0 without a word or a report, and what stays as it is until it changes.
        self._eject = Vectors(f"{local[1]}_", {"valid": 1, **eject}, self._nodes)
        self._report = Vectors("report_", {"valid": 1, **report}, self._nodes)
        self._links = [Vectors(f"link_{j}_", link, self._nodes) for j in seen]
        self._local = Vectors("", {f"{local[0]}_ready": ready, "multiple_faults": 1}, self._nodes)
        self._back = [Vectors(f"link_{j}_", back, self._nodes) for j in seen]
        self._fault = [Vectors(f"link_{j}_", {"down": int(down)}, self._nodes) for j in seen]
        self._nothing, self._standing = (
            {name: 0 for vectors in group for name in vectors.zeros}
            for group in ((self._eject, self._report, *self._links), (self._local, *self._back, *self._fault))
        )
        self.members = Sleepers(routers)
        # By node: what its neighbours have been told and what they have told, and who has news of FAULT bits.
        self._shown: list[list[Any]] = [[] for _ in routers]
        self._far: list[list[Any]] = [[None] * config.dim for _ in routers]
        self._sent_down, self._down = [0] * self._nodes, [0] * self._nodes
        self._told: set[int] = set()
        self._clear()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        for router in self.routers:
            router.reset()
        self._clear()

    def _clear(self) -> None:
        """Set what is kept beside the routers to its reset value."""
        self.members.reset()
        self.cycle = 0
        for node in range(self._nodes):
            self._spread(node)
        self._told.clear()
        self._address, self._addresses = 0, [0] * self._nodes
        self._read, self._read_data = [0] * self._nodes, 0

    def quiet(self) -> bool:
        """Return whether nothing is anywhere in the network: no word, no message or packet begun, and no report."""
        return all(router.quiet() for router in self.routers)

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        eject_ready, read_data = inputs.get(self._takes, 0), self._read_data
        # What is read are the registers as they are before the events of this cycle are counted.
        self._read_registers(inputs.get("control_address", 0))
        words = dict(self._nothing)
        for node in self.members.stirred:
            router = self.routers[node]
            self._tell(node, inputs)
            router.offer(self._far[node], eject_ready >> node & 1)
            self._show(node, router, words)
        outputs: Outputs = {**words, **self._standing, "control_read_data": read_data}
        if inputs.get("rst"):
            self.reset()
        else:
            self._edge(inputs)
        return outputs

    def _show(self, node: int, router: Router, words: dict[str, int]) -> None:
        """Add the outputs of a router."""
        word, report, standing = router.ejected, router.report, self._standing
        self._local.change(standing, node, (router.inject_ready, router.control.multiple_faults))
        if word is not None:
            self._eject.add(words, node, (1, *word))
        if report is not None:
            self._report.add(words, node, (1, *report))
        if self._probe:
            for vectors, link in zip(self._links, router.link_out, strict=True):
                if link is not self._idle:
                    vectors.add(words, node, link)

    def _edge(self, inputs: Inputs) -> None:
        """Take the edge of all routers to which anything can happen."""
        self.cycle += 1
        words, writes = self._words(inputs), self._writes(inputs)
        nothing = [self._idle] * self._dim
        arriving: dict[int, list[Any]] = {}
        for node in self.members.stirred:
            for j, link in enumerate(self.routers[node].link_out):
                if link is not self._idle:
                    arriving.setdefault(node ^ 1 << j, nothing.copy())[j] = link
        asked = self.members.stirred
        for node in self.members.due({*arriving, *words, *writes, *self._told, *self._called(inputs)}):
            if node not in asked:
                self._tell(node, inputs)
            links = arriving.get(node, nothing)
            self.routers[node].edge(links, self._down[node], words.get(node), writes.get(node))
        self.members.settle()
        self._told.clear()
        for node in self.members.stirred:
            self._spread(node)

    def _spread(self, node: int) -> None:
        """Tell the neighbours of a node what it shows them now; a change of its FAULT bits wakes them."""
        down, shown = self.routers[node].down, self.routers[node].shown
        if shown != self._shown[node]:
            self._shown[node] = list(shown)
            for j, said in enumerate(shown):
                self._far[node ^ 1 << j][j] = said
                if self._probe:
                    self._back[j].change(self._standing, node ^ 1 << j, said)
        for j in bits(down ^ self._sent_down[node]):
            self._down[node ^ 1 << j] ^= 1 << j
            self._told.add(node ^ 1 << j)
            if self._probe:
                self._fault[j].change(self._standing, node, (down >> j & 1,))
        self._sent_down[node] = down

    def _tell(self, node: int, inputs: Inputs) -> None:
        """Tell a router what its node does in this cycle beside the ports of all networks."""

    def _called(self, inputs: Inputs) -> Collection[int]:
        """Return the nodes whose routers take the edge for the sake of that."""
        return ()

    def _words(self, inputs: Inputs) -> dict[int, Any]:
        """Return the words that the local processors offer, by node."""
        fields = [(inputs.get(name, 0), width, (1 << width) - 1) for name, width in self._inject]
        return {
            node: tuple([vector >> width * node & mask for vector, width, mask in fields])
            for node in bits(self._speaking(inputs))
        }

    def _speaking(self, inputs: Inputs) -> int:
        """Return the mask of the local processors whose wires a router looks at."""
        return inputs.get(self._offers, 0)

    def _writes(self, inputs: Inputs) -> dict[int, tuple[int, int]]:
        """Return address and data of what is written to the control ports, by node."""
        data, mask = inputs.get("control_write_data", 0), (1 << DATA_BITS) - 1
        return {
            node: (self._addresses[node], data >> DATA_BITS * node & mask)
            for node in bits(inputs.get("control_write", 0))
        }

    def _read_registers(self, address: int) -> None:
        """Take the edge of the read registers of all control ports."""
        if address != self._address:
            self._address, self._addresses = address, split(address, ADDRESS_BITS, self._nodes)
        read = [control.read(place) for control, place in zip(self._registers, self._addresses, strict=True)]
        if read != self._read:
            self._read, self._read_data = read, join(read, DATA_BITS)

    def trace(self) -> str:
        """Return the routers in which something is, one line each."""
        lines = [router.trace() for router in self.routers if not router.quiet()]
        return f"cycle {self.cycle}\n" + "\n".join(lines or ["idle"])
