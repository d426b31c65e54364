"""Collective node: a router with a collective unit at its local port."""

from __future__ import annotations

from collections.abc import Sequence

from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.collective.twins.local_port import LocalPort
from cubecast.golden.collective.twins.unit import NO_ACCESS, Access, CollectiveUnit
from cubecast.golden.common.twins.cube import CubeNode, access
from cubecast.golden.common.twins.ports import Inputs, Outputs, Word, stream
from cubecast.golden.multicast.twins.router import Link, Router

__all__ = ["CollectiveNode"]

FIELDS = ("data", "last", "error")


class CollectiveNode(CubeNode[Router]):
    """Twin of the collective node.

    A cycle has two halves, as the router's, whose attributes of the same names are meant: first :meth:`tell`, what the
    host does at the unit; :meth:`offer` finds what goes out, :meth:`edge` takes the edge. ``resting``: an edge changes
    nothing unless something comes or is written, or the host reads another register of the unit.

    Parameters
    ----------
    config : CollectiveConfig
        Parameters of the node.
    address : int
        Address of the node.
    """

    def __init__(self, config: CollectiveConfig, address: int = 0) -> None:
        """Start in reset."""
        self.config = config
        super().__init__(Router(config.router, address))
        self.unit = CollectiveUnit(config, address)
        self.port = LocalPort(config)
        self.tell(0, NO_ACCESS, None, 0)

    def reset(self) -> None:
        """Set all registers to their reset values; the memory keeps its words."""
        self.router.reset()
        self.unit.reset()
        self.port.reset()

    @property
    def inject_ready(self) -> int:
        """Whether a word is taken from the host."""
        return 0 if self.port.inject_unit else self.router.inject_ready

    @property
    def ejected(self) -> Word | None:
        """The word that goes to the host."""
        return None if self.port.eject_unit else self.router.ejected

    @property
    def resting(self) -> bool:
        """Whether nothing happens by itself."""
        return self.router.resting and self.unit.settled and self.port.stays(self.unit.registers.fields["enable"])

    def quiet(self) -> bool:
        """Return whether no message is in the router and no operation under way."""
        return self.router.quiet() and self.unit.resting

    def tell(self, out_ready: int, place: Access, vector: tuple[int, int] | None, custom: int) -> None:
        """Begin a cycle; the parameters are those of :meth:`CollectiveUnit.begin` and :meth:`CollectiveUnit.edge`."""
        self._vector, self._custom = vector, custom
        self.unit.begin(out_ready, place)
        self.unit.arrive(None)

    def offer(self, far: Sequence[tuple[int]], eject_ready: int) -> None:
        """Find what goes out in this cycle, given what the far ends show and whether the host takes a word."""
        mine = self.port.eject_unit
        self._eject_ready = self.unit.eject_ready if mine else eject_ready
        self.router.offer(far, self._eject_ready)
        if mine and self.router.ejected is not None:
            self.unit.arrive(self.router.ejected)

    def edge(
        self,
        arriving: Sequence[Link | None],
        down: int = 0,
        word: Word | None = None,
        write: tuple[int, int] | None = None,
    ) -> None:
        """Take the edge of a cycle; parameters as those of the router, ``word`` the host's."""
        router, unit, port = self.router, self.unit, self.port
        mine, enable = port.inject_unit, unit.registers.fields["enable"]
        offered, taken, came = unit.injecting if mine else word, router.inject_ready, router.ejected
        router.edge(arriving, down, offered, write)
        unit.edge(taken if mine else 0, self._vector, self._custom)
        port.edge(
            enable,
            offered[1] if offered is not None and taken else None,
            came[1] if came is not None and self._eject_ready else None,
        )

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get, router, unit = inputs.get, self.router, self.unit
        if get("address", 0) != unit.address:
            unit.strap(get("address", 0))
            router.strap(get("address", 0))
        address, write, data = (get(f"collective__{name}", 0) for name in ("address", "write", "write_data"))
        vector = (get("vector_in__data", 0), get("vector_in__last", 0)) if get("vector_in__valid") else None
        self.tell(get("vector_out__ready", 0), (address, write, data), vector, get("custom_result", 0))
        self.offer(router.far(inputs), get("eject__ready", 0))
        outputs = router.ports() | {"inject__ready": self.inject_ready} | stream("eject", FIELDS, self.ejected)
        shown = unit.outputs_before() | unit.outputs_after()
        outputs |= {"collective__read_data": shown.pop("control__read_data"), **shown}
        if get("rst"):
            self.reset()
            return outputs
        router.control.read_data = router.control.read(get("control__address", 0))
        word = (get("inject__data", 0), get("inject__last", 0), get("inject__error", 0))
        self.edge(*router.near(inputs), word if get("inject__valid") else None, access(inputs))
        return outputs
