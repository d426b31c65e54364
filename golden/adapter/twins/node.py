"""Crosspoint node: a crosspoint router and the adapter between it and the node."""

from __future__ import annotations

from collections.abc import Sequence

from cubecast.golden.adapter.contract.config import AdapterConfig
from cubecast.golden.adapter.twins.adapter import Adapter
from cubecast.golden.adapter.twins.receiver import Received
from cubecast.golden.adapter.twins.words import Word, stream_outputs
from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.crosspoint.twins.flit import Link, link_input
from cubecast.golden.crosspoint.twins.router import NO_WORD, CrosspointRouter

__all__ = ["AdapterNode"]

HIDDEN = ("inject", "eject")
"""Ports of the router that lead to the adapter."""


class AdapterNode:
    """Twin of a node: its ``router`` and its ``adapter``.

    A cycle has two halves, as the router's: :meth:`offer` finds what goes over the links, given what the far ends say
    and what the node does, :meth:`edge` takes the edge of the router, given what comes. ``shown``, the word for the
    node, is a function of registers.

    Parameters
    ----------
    config : AdapterConfig
        Parameters of the node.
    address : int
        Address of the node.
    """

    def __init__(self, config: AdapterConfig, address: int = 0) -> None:
        """Start in reset."""
        self.config = config
        self.router = CrosspointRouter(config.router, address, adapter=True)
        self.adapter = Adapter(config, address)
        self._injected, self._taken = NO_WORD, 0
        self._valid = False

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.router.reset()
        self.adapter.reset()

    @property
    def shown(self) -> Received | None:
        """The word that the node is shown in the coming cycle."""
        return self.adapter.show(self.router.ejected)

    def quiet(self) -> bool:
        """Return whether nothing is under way: no message, no packet, and no report."""
        return self.router.quiet() and self.adapter.quiet

    def offer(
        self,
        far: Sequence[tuple[int, int]],
        sent: Word | None,
        receive_ready: bool,
        access: tuple[int, int, int],
    ) -> None:
        """Find what goes out in this cycle, and take the edge of the adapter.

        Parameters
        ----------
        far : sequence
            ``ready`` and ``ready_up`` of the far ends of the links.
        sent : Word, optional
            What the node offers.
        receive_ready : bool
            Whether the node takes a word.
        access : tuple
            Address, write and data of the adapter's registers.
        """
        router, adapter = self.router, self.adapter
        injected = adapter.injected
        self._valid, self._injected = injected is not None, injected or NO_WORD
        self._taken = int(
            adapter.edge(
                sent,
                receive_ready,
                bool(router.inject_ready),
                router.ejected,
                router.control.cut,
                router.takes_beside,
                access,
            )
        )
        router.beside = adapter.report
        router.offer(far, self._taken)

    def edge(self, arriving: Sequence[Link], link_down: int, write: tuple[int, int] | None = None) -> None:
        """Take the edge of the cycle of :meth:`offer`; parameters as those of the router."""
        self.router.edge(arriving, link_down, (int(self._valid), *self._injected), write)

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get, n, router = inputs.get, self.config.dim, self.router
        router.address = self.adapter.address = get("address", 0)
        far = [(get(f"link_out__{j}__ready", 0), get(f"link_out__{j}__ready_up", 0)) for j in range(n)]
        down = sum(get(f"link_in__{j}__down", 0) << j for j in range(n))
        outputs: Outputs = {"send__ready": int(self.adapter.send_ready)}
        outputs |= stream_outputs("receive", self.shown, Received._fields)
        outputs["adapter__read_data"] = self.adapter.registers.read_data
        address = get("control__address", 0)
        # Before the events of this cycle are counted.
        read_data = router.control.read(address)
        self.offer(
            far,
            Word(*(get(f"send__{name}", 0) for name in Word._fields)) if get("send__valid") else None,
            bool(get("receive__ready")),
            (get("adapter__address", 0), get("adapter__write", 0), get("adapter__write_data", 0)),
        )
        outputs |= {name: value for name, value in router.ports().items() if name.split("__")[0] not in HIDDEN}
        if get("rst"):
            self.reset()
            return outputs
        router.control.read_data = read_data
        write = (address, get("control__write_data", 0)) if get("control__write") else None
        self.edge([link_input(f"link_in__{j}", inputs) for j in range(n)], down, write)
        return outputs
