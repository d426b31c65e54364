"""Network adapter: between the messages of a node and the packets of its router."""

from __future__ import annotations

from cubecast.golden.adapter.contract.config import AdapterConfig
from cubecast.golden.adapter.twins.chunker import Chunker
from cubecast.golden.adapter.twins.emitter import Emitter
from cubecast.golden.adapter.twins.fault_list import Knowledge
from cubecast.golden.adapter.twins.inject_register import InjectRegister
from cubecast.golden.adapter.twins.planner import Planner
from cubecast.golden.adapter.twins.reassembler import Framed, Reassembler
from cubecast.golden.adapter.twins.receiver import Received, Receiver
from cubecast.golden.adapter.twins.registers import AdapterRegisters, Clock
from cubecast.golden.adapter.twins.relay_store import RelayStore
from cubecast.golden.adapter.twins.words import Said, Word, report_outputs, stream_outputs
from cubecast.golden.common.contract.units import Requests
from cubecast.golden.common.twins.arbiter import Arbiter
from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.crosspoint.twins.ejection import Ejected
from cubecast.golden.crosspoint.twins.flit import Head

__all__ = ["Adapter", "receive_fields"]

REPORTERS = 3
"""Chunker, planner, receiver."""


class Adapter:
    """Twin of the adapter; ``send_ready``, ``injected`` and ``report`` are functions of registers.

    A cycle: :meth:`show` finds the word for the node, :meth:`takes` whether the router's is taken, :meth:`edge` takes
    the edge, and then ``registers`` take theirs. ``reassembler`` is None without reassembly.

    Parameters
    ----------
    config : AdapterConfig
        Parameters of the node.
    address : int
        Address of the node.
    clock : Clock, optional
        As of the registers.
    """

    def __init__(self, config: AdapterConfig, address: int = 0, clock: Clock | None = None) -> None:
        """Start in reset."""
        self.config = config
        self.address = address
        self.registers = AdapterRegisters(config, clock)
        self.chunker = Chunker(config)
        self.planner = Planner(config)
        self.emitter = Emitter(config)
        self.inject_register = InjectRegister(config)
        self.relay_store = RelayStore(config)
        self.receiver = Receiver(config)
        self.reassembler = Reassembler(config) if config.reassemble else None
        self.arbiter = Arbiter(Requests(count=REPORTERS))

    def reset(self) -> None:
        """Set all registers to their reset values."""
        for unit in (self.registers, self.chunker, self.planner, self.emitter, self.inject_register):
            unit.reset()
        self.relay_store.reset()
        self.receiver.reset()
        self.arbiter.reset()
        if self.reassembler is not None:
            self.reassembler.reset()

    @property
    def send_ready(self) -> bool:
        """Whether a word is taken from the node."""
        return self.chunker.ready

    @property
    def injected(self) -> Head | None:
        """The word that the router is offered."""
        return self.inject_register.word

    @property
    def _emitted(self) -> Head | None:
        """The word that the emitter offers."""
        order, word = self.planner.order, 0
        if order is not None and order.send and not order.relay:
            index = self.emitter.index(order)
            word = self.chunker.words[order.bank][index] if index >= 0 else 0
        return self.emitter.offer(order, word, self.relay_store.head, self.address)

    @property
    def granted(self) -> int:
        """Number of the unit whose report is offered, -1 if none is."""
        return self.arbiter.grant(sum((report is not None) << k for k, report in enumerate(self._reports())))

    @property
    def report(self) -> Said | None:
        """The report that is offered."""
        granted = self.granted
        return self._reports()[granted] if granted >= 0 else None

    @property
    def quiet(self) -> bool:
        """Whether nothing is under way: no message begun to be sent, no chunk, no packet, no frame, and no report."""
        if self.reassembler is not None and not self.reassembler.quiet:
            return False
        return not (
            self.chunker.state is not self.chunker.state.HEADER
            or any(self.chunker.full)
            or self.planner.order is not None
            or self.injected is not None
            or self.relay_store.queue.level
            or self.receiver.state is not self.receiver.state.HEAD
            or self.granted >= 0
        )

    def _reports(self) -> tuple[Said | None, ...]:
        """Return what each unit reports."""
        return self.chunker.report, self.planner.report, self.receiver.report

    def show(self, word: Ejected | None) -> Received | Framed | None:
        """Return the word that the node is shown."""
        return self.receiver.show(word) if self.reassembler is None else self.reassembler.shown

    def _stored(self, word: Ejected | None, receive_ready: bool) -> bool:
        """Return whether a word that the receiver shows is taken."""
        return receive_ready if self.reassembler is None else self.reassembler.takes(self.receiver.show(word))

    @property
    def _room(self) -> bool:
        """Whether there is room for a packet to be sent on."""
        return self.config.knows_faults and self.relay_store.queue.room

    def takes(self, ejected: Ejected | None, receive_ready: bool) -> bool:
        """Return whether the word that the router shows is taken, given whether the node takes one."""
        return self.receiver.takes(ejected, self._stored(ejected, receive_ready), self._room, self.address)

    def edge(
        self,
        sent: Word | None,
        receive_ready: bool,
        inject_ready: bool,
        ejected: Ejected | None,
        cut: int,
        report_ready: bool,
    ) -> None:
        """Take the edge of a cycle, but for the registers.

        Parameters
        ----------
        sent : Word, optional
            What the node offers.
        receive_ready : bool
            Whether the node takes a word.
        inject_ready : bool
            Whether the router takes a word.
        ejected : Ejected, optional
            What the router shows.
        cut : int
            Mask of the links that are out of use.
        report_ready : bool
            Whether the report that is offered is taken.
        """
        registers, planner, store, address = self.registers, self.planner, self.relay_store, self.address
        faults = Knowledge(registers.faults, cut, address)
        known, draw, policy = planner.known(faults), registers.draw(address), registers.policy
        granted = self.granted
        taken = [report_ready and granted == k for k in range(REPORTERS)]
        if report_ready and granted >= 0:
            self.arbiter.advance(granted)
        passed, order, offered = store.head, planner.order, self._emitted
        done = self.emitter.edge(order, offered, passed, self.inject_register.takes(inject_ready))
        self.inject_register.edge(offered, inject_ready)
        row = self.chunker.rows[planner.row_index]
        planner.edge(self.chunker.chunk, row, store.destination, done.ready, faults, policy, draw, taken[1])
        came, stored = self.receiver.show(ejected), self._stored(ejected, receive_ready)
        accepted = self.receiver.edge(ejected, stored, self._room, address, taken[2])
        if self.reassembler is not None:
            self.reassembler.edge(came, receive_ready)
        freed = order.bank if order is not None and done.freed else -1
        self.chunker.edge(sent, known, address, planner.chunk_taken, freed, taken[0])
        if self.config.knows_faults:
            store.edge(accepted.pushed, planner.relay_taken, done.pop)

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get = inputs.get
        self.address = get("address", 0)
        ejected = Ejected(*(get(f"eject__{name}", 0) for name in Ejected._fields)) if get("eject__valid") else None
        ready = bool(get("receive__ready"))
        idle = self.receiver.idle(self._stored(None, ready))
        outputs: Outputs = {"send__ready": int(self.send_ready), "inject__valid": int(self.injected is not None)}
        outputs |= {f"inject__{name}": getattr(self.injected, name, None) for name in Head._fields}
        outputs |= stream_outputs("receive", self.show(ejected), receive_fields(self.config))
        outputs |= report_outputs(self.report)
        outputs["control__read_data"] = self.registers.read_data
        outputs["eject__ready"] = idle if ejected is None else int(self.takes(ejected, ready))
        self.edge(
            Word(*(get(f"send__{name}", 0) for name in Word._fields)) if get("send__valid") else None,
            ready,
            bool(get("inject__ready")),
            ejected,
            get("cut", 0),
            bool(get("report__ready")),
        )
        self.registers.edge(get("control__address", 0), get("control__write", 0), get("control__write_data", 0))
        if get("rst"):
            self.reset()
        return outputs


def receive_fields(config: AdapterConfig) -> tuple[str, ...]:
    """Return the fields of the words for the node."""
    return Framed._fields if config.reassemble else Received._fields
