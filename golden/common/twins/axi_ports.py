"""AXI ports in front of a node or a network: what goes in and out of its twin, and the AXI4-Lite slaves."""

from __future__ import annotations

from typing import Protocol

from cubecast.golden.common.contract.axi import Axi, Slave, Stream, lite_pins
from cubecast.golden.common.contract.units import DATA_BITS
from cubecast.golden.common.twins.axi_control import AxiControl
from cubecast.golden.common.twins.ports import Inputs, Outputs, join, split

__all__ = ["AxiPorts"]

Held = tuple[int, int, int]
"""A word that waits for its slots: data, last, slots."""

Kept = tuple[int, int, int, int]
"""A word that has left the unit: valid, data, last, user."""

IDLE: Kept = (0, 0, 0, 0)


class Twin(Protocol):
    """What has AXI ports put before it."""

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""


class AxiPorts:
    """Twin of a unit whose processor's side is AXI, in the clock domain ``clk``, ``rst``.

    ``inside`` is the twin of the unit, ``slaves`` those of the AXI4-Lite slaves by prefix and node, and ``passed``
    what went into the unit and came out of it in the last cycle.

    Parameters
    ----------
    inside : object
        Twin of the unit.
    axi : Axi
        Which of its ports are AXI.

    Source: docs/axi.md.
    """

    def __init__(self, inside: Twin, axi: Axi) -> None:
        """Start in reset."""
        self.inside, self.axi = inside, axi
        self.slaves = {slave.prefix: [AxiControl(slave.config) for _ in range(axi.items)] for slave in axi.slaves}
        self._pins = {slave.prefix: tuple(lite_pins(slave.config).items()) for slave in axi.slaves}
        self.held: dict[str, list[Held | None]] = {
            stream.prefix: [None] * axi.items for stream in axi.streams if stream.slots
        }
        self.kept = {stream.prefix: [IDLE] * axi.items for stream in axi.streams if stream.kept}
        self.passed: tuple[Inputs, Outputs] = ({}, {})

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        axi, given = self.axi, dict(inputs)
        for stream in axi.streams:
            if not stream.into:
                given[axi.inside(stream.port, "ready")] = self._takes(stream, inputs)
            elif stream.slots:
                self._offer(stream, given)
            else:
                self._pass(stream, inputs, given)
        for slave in axi.slaves:
            requests = [twin.request() for twin in self.slaves[slave.prefix]]
            bits = {"address": self._bits(slave), "write": 1, "write_data": DATA_BITS}
            for field, width in bits.items():
                items = [getattr(request, field) for request in requests]
                given[axi.inside(slave.port, field)] = join(items, width)
        outputs = self.inside.step(given)
        self.passed = given, dict(outputs)
        for stream in axi.streams:
            if not stream.into:
                self._leave(stream, outputs)
            if stream.kept:
                self._keep(stream, inputs, outputs)
            elif stream.slots:
                self._load(stream, inputs, outputs)
            elif stream.into:
                outputs[f"{stream.prefix}_tready"] = outputs.pop(axi.inside(stream.port, "ready"))
        for slave in axi.slaves:
            self._answer(slave, inputs, outputs)
        return outputs

    def _bits(self, slave: Slave) -> int:
        """Return the bits of a register's number."""
        return self.slaves[slave.prefix][0].bits

    def _pass(self, stream: Stream, inputs: Inputs, given: dict[str, int]) -> None:
        """Let words go in as they come, without the bits above them."""
        inside, mask = self.axi.inside, (1 << stream.width) - 1
        for name in ("valid", "last"):
            given[inside(stream.port, name)] = inputs.get(f"{stream.prefix}_t{name}", 0)
        users = split(inputs.get(f"{stream.prefix}_tuser", 0), stream.user_bits, self.axi.items)
        for field, part in stream.user.items():
            given[inside(stream.port, field)] = join([part.of(user) for user in users], part.bits)
        words = split(inputs.get(f"{stream.prefix}_tdata", 0), stream.data_bits, self.axi.items)
        given[inside(stream.port, "data")] = join([word & mask for word in words], stream.width)

    def _offer(self, stream: Stream, given: dict[str, int]) -> None:
        """Let the words that are held go to their slots."""
        held = self.held[stream.prefix]
        words = [word or (0, 0, 0) for word in held]
        widths = {"data": stream.width, "last": 1, "slots": stream.slots}
        for place, (field, width) in enumerate(widths.items()):
            given[self.axi.inside(stream.port, field)] = join([word[place] for word in words], width)
        given[self.axi.inside(stream.port, "valid")] = join([int(word is not None) for word in held], 1)

    def _load(self, stream: Stream, inputs: Inputs, outputs: Outputs) -> None:
        """Say where a word can be taken, and take the edge of what is held."""
        axi, held, taken = self.axi, self.held[stream.prefix], 0
        ready = split(outputs.pop(axi.inside(stream.port, "ready")) or 0, stream.slots, axi.items)
        valid = inputs.get(f"{stream.prefix}_tvalid", 0)
        data = split(inputs.get(f"{stream.prefix}_tdata", 0), stream.data_bits, axi.items)
        user = split(inputs.get(f"{stream.prefix}_tuser", 0), stream.slots, axi.items)
        for node, word in enumerate(held):
            if word is not None and (word[2] or 1) & ~ready[node]:
                continue
            taken |= 1 << node
            held[node] = None
            if valid >> node & 1:
                last = inputs.get(f"{stream.prefix}_tlast", 0) >> node & 1
                held[node] = data[node] & (1 << stream.width) - 1, last, user[node]
        if inputs.get("rst"):
            held[:] = [None] * axi.items
        outputs[f"{stream.prefix}_tready"] = taken

    def _takes(self, stream: Stream, inputs: Inputs) -> int:
        """Return where a word can leave: where it is taken, or nothing is kept."""
        ready = inputs.get(f"{stream.prefix}_tready", 0)
        kept = self.kept.get(stream.prefix)
        if kept is None:
            return ready
        return join([int(not word[0] or ready >> node & 1) for node, word in enumerate(kept)], 1)

    def _keep(self, stream: Stream, inputs: Inputs, outputs: Outputs) -> None:
        """Offer what is kept, and take the edge of it."""
        count, kept, taken = self.axi.items, self.kept[stream.prefix], self._takes(stream, inputs)
        widths = {"valid": 1, "data": stream.data_bits, "last": 1, "user": stream.user_bits}
        came = [split(outputs[f"{stream.prefix}_t{name}"] or 0, width, count) for name, width in widths.items()]
        for place, (name, width) in enumerate(widths.items()):
            outputs[f"{stream.prefix}_t{name}"] = join([word[place] for word in kept], width)
            if place and not self.axi.nodes and not kept[0][0]:
                outputs[f"{stream.prefix}_t{name}"] = None
        for node, (valid, data, last, user) in enumerate(zip(*came, strict=True)):
            if taken >> node & 1:
                kept[node] = valid, data, last, user
        if inputs.get("rst"):
            kept[:] = [IDLE] * count

    def _leave(self, stream: Stream, outputs: Outputs) -> None:
        """Let words go out, in whole bytes; ``error`` is 0 before the last one."""
        inside, items = self.axi.inside, self.axi.items
        valid, data, last = (outputs.pop(inside(stream.port, field)) for field in ("valid", "data", "last"))
        beside = {name: outputs.pop(inside(stream.port, name)) for name in stream.user}
        user = None
        if data is not None:
            data = join(split(data, stream.width, items), stream.data_bits)
        if last is not None:
            beside["error"] = last & (beside["error"] or 0)
            user = 0
            for name, part in stream.user.items():
                user |= join(split(beside[name] or 0, part.bits, items), stream.user_bits) << part.low
        values = {"valid": valid, "data": data, "last": last, "user": user}
        if stream.ident:
            values["id"] = outputs.pop(inside(stream.port, stream.ident[0]))
        outputs |= {f"{stream.prefix}_t{name}": value for name, value in values.items()}

    def _answer(self, slave: Slave, inputs: Inputs, outputs: Outputs) -> None:
        """Let the slaves of all nodes take the edge; a network has 0 where they answer nothing."""
        axi, prefix = self.axi, slave.prefix
        read_data = split(outputs.pop(axi.inside(slave.port, "read_data")) or 0, DATA_BITS, axi.items)
        offered, answers = [], []
        for name, pin in self._pins[prefix]:
            if pin.driven:
                offered.append((f"s_axi_{name}", split(inputs.get(f"{prefix}_{name}", 0), pin.bits, axi.items)))
        for node, twin in enumerate(self.slaves[prefix]):
            given = {name: items[node] for name, items in offered}
            answers.append(twin.step({**given, "rst": inputs.get("rst", 0), "control__read_data": read_data[node]}))
        for name, pin in self._pins[prefix]:
            if not pin.driven:
                values = [answer[f"s_axi_{name}"] for answer in answers]
                outputs[f"{prefix}_{name}"] = (
                    join([value or 0 for value in values], pin.bits) if axi.nodes else values[0]
                )
