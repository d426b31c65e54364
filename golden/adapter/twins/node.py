"""Crosspoint node: a crosspoint router and the adapter between it and the node."""

from __future__ import annotations

from collections.abc import Sequence

from cubecast.golden.adapter.contract.config import AdapterConfig
from cubecast.golden.adapter.twins.adapter import Adapter, receive_fields
from cubecast.golden.adapter.twins.reassembler import Framed
from cubecast.golden.adapter.twins.receiver import Received
from cubecast.golden.adapter.twins.registers import Clock
from cubecast.golden.adapter.twins.words import Word, stream_outputs
from cubecast.golden.common.twins.cube import CubeNode, access
from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.crosspoint.twins.flit import Link, link_input
from cubecast.golden.crosspoint.twins.router import NO_WORD, CrosspointRouter, far_flags

__all__ = ["AdapterNode"]

HIDDEN = ("inject", "eject")
"""Ports of the router that lead to the adapter."""


class AdapterNode(CubeNode[CrosspointRouter]):
    """Twin of a node: its ``router`` and its ``adapter``.

    A cycle has two halves, as the router's, whose attributes of the same names are meant: :meth:`offer` finds what goes
    over the links, and ``ejected``, the word for the node; :meth:`edge` takes the edge, but for the adapter's
    registers. ``resting``: an edge changes nothing unless something comes or is written.

    Parameters
    ----------
    config : AdapterConfig
        Parameters of the node.
    address : int
        Address of the node.
    clock : Clock, optional
        As of the adapter's registers.
    """

    def __init__(self, config: AdapterConfig, address: int = 0, clock: Clock | None = None) -> None:
        """Start in reset."""
        self.config = config
        super().__init__(CrosspointRouter(config.router, address, adapter=True))
        self.adapter = Adapter(config, address, clock)
        self._receive_ready = False

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.router.reset()
        self.adapter.reset()

    @property
    def inject_ready(self) -> int:
        """Whether a word is taken from the node."""
        return int(self.adapter.send_ready)

    @property
    def ejected(self) -> Received | Framed | None:
        """The word that the node is shown."""
        return self.adapter.show(self.router.ejected)

    @property
    def resting(self) -> bool:
        """Whether nothing happens by itself."""
        return self.router.resting and self.adapter.quiet

    def quiet(self) -> bool:
        """Return whether nothing is under way: no message, no packet, and no report."""
        return self.router.quiet() and self.adapter.quiet

    def offer(self, far: Sequence[tuple[int, ...]], eject_ready: int) -> None:
        """Find what goes out in this cycle, given what the far ends show and whether the node takes a word."""
        self._receive_ready = bool(eject_ready)
        self.router.offer(far, int(self.adapter.takes(self.router.ejected, self._receive_ready)))

    def edge(
        self,
        arriving: Sequence[Link],
        down: int = 0,
        word: Sequence[int] | None = None,
        write: tuple[int, int] | None = None,
    ) -> None:
        """Take the edge of the cycle of :meth:`offer`; parameters as those of the router, ``word`` the node's."""
        router, adapter = self.router, self.adapter
        injected = adapter.injected
        adapter.edge(
            None if word is None else Word(*word),
            self._receive_ready,
            bool(router.inject_ready),
            router.ejected,
            router.control.cut,
            router.takes_beside,
        )
        router.beside = adapter.report
        router.edge(arriving, down, (int(injected is not None), *(injected or NO_WORD)), write)

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get, n, router = inputs.get, self.config.dim, self.router
        router.address = self.adapter.address = get("address", 0)
        far = far_flags(n, inputs)
        down = sum(get(f"link_in__{j}__down", 0) << j for j in range(n))
        outputs: Outputs = {"send__ready": int(self.adapter.send_ready)}
        outputs |= stream_outputs("receive", self.ejected, receive_fields(self.config))
        outputs["adapter__read_data"] = self.adapter.registers.read_data
        # Before the events of this cycle are counted.
        read_data = router.control.read(get("control__address", 0))
        self.offer(far, get("receive__ready", 0))
        outputs |= {name: value for name, value in router.ports().items() if name.split("__")[0] not in HIDDEN}
        if get("rst"):
            self.reset()
            return outputs
        router.control.read_data = read_data
        sent = [get(f"send__{name}", 0) for name in Word._fields] if get("send__valid") else None
        self.edge([link_input(f"link_in__{j}", inputs) for j in range(n)], down, sent, access(inputs))
        place = (get(f"adapter__{name}", 0) for name in ("address", "write", "write_data"))
        self.adapter.registers.edge(*place)
        return outputs
