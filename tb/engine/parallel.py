"""Bit-parallel simulation: all nodes of a network at once, one bit of a machine word for each.

Every node is the same circuit. So its gates become C++ operations on words whose bit v belongs to node v: one
operation simulates a gate in all nodes. The message handling units are the same circuit once more: theirs become
operations on vectors that hold all nodes of several units. A cycle is straight code, whatever the traffic.

The circuit is cut at the ports of its modules. A value has a *level*: 0 when it depends on registers alone, and behind
a port one more than before it. Level by level the code of both modules computes what has just become known and hands
it on, so that it is right whatever combinational paths lead through the ports; a loop of them is refused.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator, Sequence

from cubecast.tb.engine.netlist import Bit, Gate, Netlist, netlist

__all__ = ["Network", "Traced"]

LARGEST = 6
"""Dimension of the largest network: a machine word has a bit for each node."""

STATIC = -1
"""Level of what never changes: constants, the address, and what is made of them alone."""

DEEPEST = 40
"""Levels above which there must be a loop."""

VECTOR = 64
"""Bytes of the widest vector."""

PART = 2000
"""Gates of a function at most: the compiler takes much longer for large ones, and finds hardly more in them."""

GATES = {
    "AND": "{0} & {1}",
    "OR": "{0} | {1}",
    "XOR": "{0} ^ {1}",
    "ANDNOT": "{0} & ~{1}",
    "ORNOT": "{0} | ~{1}",
    "NOT": "~{0}",
    "BUF": "{0}",
    "MUX": "({0} & {2}) | (~{0} & {1})",
}
"""C++ of each gate."""

CONSTANTS = {"0": "ZERO", "1": "ONES", "x": "ZERO"}


@dataclasses.dataclass(frozen=True)
class Read:
    """A read port of a memory: the number of the memory, and the nets."""

    memory: int
    inputs: tuple[Bit, ...]
    outputs: tuple[Bit, ...]


@dataclasses.dataclass(frozen=True)
class Step:
    """A gate with its output."""

    gate: Gate
    output: Bit

    @property
    def inputs(self) -> tuple[Bit, ...]:
        """Nets that it reads."""
        return self.gate.inputs

    @property
    def outputs(self) -> tuple[Bit, ...]:
        """Nets that it drives."""
        return (self.output,)


Node = Read | Step

Time = tuple[int, int]
"""When something is computed: its level, and which of the functions of that."""


class Circuit:
    """A module: its logic in order, and the level of every net.

    Parameters
    ----------
    gates : Netlist
        The module.
    """

    def __init__(self, gates: Netlist) -> None:
        self.netlist = gates
        self.nodes: dict[Bit, Node] = {net: Step(gate, net) for net, gate in gates.gates.items()}
        for number, memory in enumerate(gates.memories):
            for address, data in zip(memory.read_addresses, memory.read_data, strict=True):
                self.nodes |= dict.fromkeys(data, Read(number, address, data))
        self.inputs = {net: place for place, net in enumerate(_all(gates.inputs))}
        self.registers = {net: place for place, net in enumerate(gates.registers)}
        self.outputs = {name: place for place, name in enumerate(_named(gates.outputs))}
        self.order = list(self._sort())
        self.level: dict[Bit, int] = {}

    def _sort(self) -> Iterator[Node]:
        """Yield all logic, each after what drives its inputs."""
        done: set[Bit] = set()
        for start in self.nodes:
            stack = [start]
            while stack:
                net = stack.pop()
                if net in done:
                    continue
                node = self.nodes[net]
                missing = [source for source in node.inputs if source in self.nodes and source not in done]
                if missing:
                    stack += [net, *missing]
                else:
                    done.update(node.outputs)
                    yield node

    def find_levels(self, arrival: dict[Bit, int]) -> None:
        """Find the level of every net, given those of the nets that come in through ports."""
        level = self.level
        level.update(dict.fromkeys(CONSTANTS, STATIC))
        level.update(dict.fromkeys(self.registers, 0))
        level.update(arrival)
        for node in self.order:
            least = 0 if isinstance(node, Read) else STATIC
            level.update(dict.fromkeys(node.outputs, max(least, *(level[net] for net in node.inputs))))


def _all(ports: dict[str, tuple[Bit, ...]]) -> Iterator[Bit]:
    """Yield the nets of all ports."""
    for nets in ports.values():
        yield from nets


def _named(ports: dict[str, tuple[Bit, ...]]) -> Iterator[tuple[str, int]]:
    """Yield port name and bit of all ports."""
    for name, nets in ports.items():
        for bit in range(len(nets)):
            yield name, bit


@dataclasses.dataclass(frozen=True)
class Root:
    """A net that is needed, from when on, and the statement that takes it (``{}`` is the value)."""

    net: Bit
    level: int
    statement: str


class Code:
    """Functions that compute a circuit, one for each level, or several where it has many gates.

    Parameters
    ----------
    name : str
        Prefix of the functions, and of the struct that holds the circuit's values.
    circuit : Circuit
        With its levels.
    roots : list of Root
        What is needed beside the next values of registers and memories.
    loads : dict
        Net to C++, for nets that come in through ports.
    """

    def __init__(self, name: str, circuit: Circuit, roots: list[Root], loads: dict[Bit, str]) -> None:
        self.name, self.circuit, self.roots = name, circuit, roots
        self.loads = loads | {net: f"x.q[{place}]" for net, place in circuit.registers.items()}
        self.scratch: dict[Bit, int] = {}
        self.update = list(self._update())
        self.last = max([0, *(root.level for root in roots), *(circuit.level[net] for net in self.update)])
        self.times, self.ends = self._parted(self._times())

    def _update(self) -> Iterator[Bit]:
        """Yield the nets that the next values of registers and memories need."""
        yield from self.circuit.netlist.registers.values()
        for memory in self.circuit.netlist.memories:
            if len(set(memory.enable)) != 1:
                raise ValueError("a memory must be written a whole word at a time")
            yield from (memory.enable[0], *memory.write_address, *memory.write_data)

    def _times(self) -> dict[Bit, int]:
        """Return the level in which each net is computed: as late as possible."""
        times: dict[Bit, int] = {}
        wanted = [(root.net, root.level) for root in self.roots] + [(net, self.last) for net in self.update]
        for net, time in wanted:
            times[net] = min(times.get(net, time), time)
        for node in reversed(self.circuit.order):
            known = [times[net] for net in node.outputs if net in times]
            if known:
                times.update(dict.fromkeys(node.outputs, min(known)))
                for net in node.inputs:
                    times[net] = min(times.get(net, min(known)), min(known))
        return times

    def _parted(self, levels: dict[Bit, int]) -> tuple[dict[Bit, Time], dict[int, Time]]:
        """Return the time of each net, and the last time of each level."""
        counts: Counter[int] = Counter()
        times = {net: (level, 0) for net, level in levels.items()}
        for node in self.circuit.order:
            if node.outputs[0] in levels:
                level = levels[node.outputs[0]]
                times |= dict.fromkeys(node.outputs, (level, counts[level] // PART))
                counts[level] += 1
        ends = {level: (level, max(0, counts[level] - 1) // PART) for level in range(STATIC, self.last + 1)}
        return times, ends

    def functions(self) -> Iterator[str]:
        """Yield the C++ functions, and what they compute between times last."""
        bodies = {}
        for level, parts in reversed(self.ends.values()):
            for part in range(parts, -1, -1):
                lines = list(self._body((level, part)))
                if lines:
                    bodies[level, part] = lines
        for time, lines in sorted(bodies.items()):
            body = "\n".join(f"    {line}" for line in lines)
            yield f"NOINLINE static void {self._function(time)}({self.name} &x, Context &c)\n{{\n{body}\n}}\n"
        self.made = sorted(bodies)

    def calls(self, level: int, arguments: str) -> str:
        """Return the calls of a level's functions; :meth:`functions` has been called."""
        return " ".join(f"{self._function(time)}({arguments});" for time in self.made if time[0] == level)

    def _function(self, time: Time) -> str:
        """Return the name of the function of a time."""
        level, part = time
        return f"{self.name}_{'setup' if level < 0 else level}{f'_{part}' if part else ''}"

    def _body(self, time: Time) -> Iterator[str]:
        """Yield the statements of a time; later ones have been asked for already."""
        known: dict[Bit, str] = {}

        def value(net: Bit) -> Iterator[str]:
            if net in known:
                return
            if net in CONSTANTS:
                known[net] = CONSTANTS[net]
                return
            known[net] = f"n{net}"
            source = self.loads.get(net)
            if source is None:
                source = f"x.s[{self.scratch.setdefault(net, len(self.scratch))}]"
            yield f"const Value n{net} = {source};"

        for node in self.circuit.order:
            if self.times.get(node.outputs[0]) != time:
                continue
            for net in node.inputs:
                yield from value(net)
            names = [known[net] for net in node.inputs]
            if isinstance(node, Step):
                known[node.output] = f"n{node.output}"
                yield f"const Value n{node.output} = {GATES[node.gate.kind].format(*names)};"
            else:
                array = f"r{node.outputs[0]}"
                yield f"const Value a{array}[] = {{{', '.join(names)}}};"
                yield f"Value {array}[{len(node.outputs)}];"
                yield f"read<{len(names)}>(x.m{node.memory}, a{array}, {array});"
                known.update({net: f"{array}[{place}]" for place, net in enumerate(node.outputs)})
        for net, place in self.scratch.items():
            if self.times[net] == time and net in known:
                yield f"x.s[{place}] = {known[net]};"
        for root in self.roots:
            if self.ends[root.level] == time:
                yield from value(root.net)
                yield root.statement.format(known[root.net])
        if time == self.ends[self.last]:
            for net in self.update:
                yield from value(net)
            yield from self._store(known)

    def _store(self, known: dict[Bit, str]) -> Iterator[str]:
        """Yield the statements that take the edge of the cycle."""
        for number, memory in enumerate(self.circuit.netlist.memories):
            address = ", ".join(known[net] for net in memory.write_address)
            data = ", ".join(known[net] for net in memory.write_data)
            yield f"const Value wa{number}[] = {{{address}}}, wd{number}[] = {{{data}}};"
            yield f"write<{len(memory.write_address)}>(x.m{number}, {known[memory.enable[0]]}, wa{number}, wd{number});"
        for net, place in self.circuit.registers.items():
            yield f"x.q[{place}] = {known[self.circuit.netlist.registers[net]]};"

    def struct(self, value: str) -> str:
        """Return the struct that holds the values; :meth:`functions` has been called."""
        circuit = self.circuit
        sizes = {"q": len(circuit.registers), "i": len(circuit.inputs)}
        sizes |= {"o": len(circuit.outputs), "s": len(self.scratch)}
        lines = [f"    Value {name}[{max(1, size)}];" for name, size in sizes.items()]
        for number, memory in enumerate(circuit.netlist.memories):
            lines.append(f"    Value m{number}[{memory.depth}][{len(memory.write_data)}];")
        return "\n".join([f"struct {self.name} {{", f"    typedef {value} Value;", *lines, "};", ""])


@dataclasses.dataclass(frozen=True, kw_only=True)
class Traced:
    """A port of the nodes' circuit that goes into a trace.

    Parameters
    ----------
    port : str
        Its name.
    flip : int
        Bits in which the address of the node that shows it differs.
    gate : str
        Port of the same group without whose bit 0 is shown; empty: none.
    """

    port: str
    flip: int = 0
    gate: str = ""


class Network:
    """The circuits of a network, and how they are connected.

    Parameters
    ----------
    dim : int
        Dimension of the cube. A node with fewer links makes cubes beside each other, of so many dimensions as it has
        links.
    verilog : str
        Modules of a node.
    shell : str
        The module of the node; links to its neighbours are its ports ``link_in__j__*`` and ``link_out__j__*``.
    box : str
        The module in it whose instances become vectors; empty: there is none.
    traced : sequence of Traced
        What goes into a trace.

    Raises
    ------
    ValueError
        The network has more than 64 nodes, or a combinational loop through its ports.
    """

    def __init__(self, dim: int, verilog: str, shell: str, box: str, traced: Sequence[Traced] = ()) -> None:
        if dim > LARGEST:
            raise ValueError(f"dim must be an integer from 2 to {LARGEST} here, not {dim}")
        self.traced = traced
        self.shell = Circuit(netlist(verilog, shell, (box,) if box else ()))
        self.mhu = Circuit(netlist(verilog, box) if box else Netlist({}, {}, {}, {}, [], []))
        self.boxes = self.shell.netlist.instances
        self.lane_bytes = max(1, (1 << dim) // 8)
        whole = len(self.boxes) * self.lane_bytes
        self.vector = min(VECTOR, max(8, 1 << (whole - 1).bit_length()))
        self.lanes = self.vector // self.lane_bytes
        self.chunks = -(-len(self.boxes) // self.lanes)
        self._find_levels()

    def peer(self, port: str) -> str | None:
        """Return the port at the other end of a link; None if it is no link's."""
        for one, other in (("link_in__", "link_out__"), ("link_out__", "link_in__")):
            if port.startswith(one):
                return other + port.removeprefix(one)
        return None

    def _find_levels(self) -> None:
        """Find the levels of both circuits, going round until they stay."""
        shell, mhu = self.shell.netlist, self.mhu.netlist
        outside: dict[Bit, int] = {}
        for port, nets in shell.inputs.items():
            outside |= dict.fromkeys(nets, 0 if port != "address" and self.peer(port) is None else STATIC)
        for box in self.boxes:
            for port in mhu.outputs:
                outside |= dict.fromkeys(box.ports[port], STATIC)
        inside = dict.fromkeys(_all(mhu.inputs), STATIC)
        while True:
            self.shell.find_levels(outside)
            self.mhu.find_levels(inside)
            before = [*outside.values(), *inside.values()]
            for source, target in self._crossings():
                level = source[0].level[source[1]]
                known = outside if target[0] is self.shell else inside
                known[target[1]] = max(known[target[1]], level + (level >= 0))
            if before == [*outside.values(), *inside.values()]:
                return
            if max(before) > DEEPEST:
                raise ValueError("there is a combinational loop through the ports")

    def _crossings(self) -> Iterator[tuple[tuple[Circuit, Bit], tuple[Circuit, Bit]]]:
        """Yield every net that leads out of a circuit and the one that it is connected to."""
        shell, mhu = self.shell.netlist, self.mhu.netlist
        for port, nets in shell.outputs.items():
            peer = self.peer(port)
            if peer is not None:
                for net, other in zip(nets, shell.inputs[peer], strict=True):
                    yield (self.shell, net), (self.shell, other)
        for box in self.boxes:
            for port, nets in mhu.outputs.items():
                for net, other in zip(nets, box.ports[port], strict=True):
                    yield (self.mhu, net), (self.shell, other)
            for port, nets in mhu.inputs.items():
                for net, other in zip(box.ports[port], nets, strict=True):
                    yield (self.shell, net), (self.mhu, other)

    def _shell(self) -> Code:
        """Return the code of a node without its message handling units."""
        shell, mhu = self.shell, self.mhu
        roots, loads = [], {net: f"x.i[{place}]" for net, place in shell.inputs.items()}
        for (port, bit), place in shell.outputs.items():
            net, peer = shell.netlist.outputs[port][bit], self.peer(port)
            statement = f"x.o[{place}] = {{}};"
            if peer is not None:
                target = shell.inputs[shell.netlist.inputs[peer][bit]]
                statement = f"x.i[{target}] = swap<{port.split('__')[1]}>({{}});"
            roots.append(Root(net, max(0, shell.level[net]), statement))
        for number, box in enumerate(self.boxes):
            chunk, lane = divmod(number, self.lanes)
            for (port, bit), place in mhu.outputs.items():
                loads[box.ports[port][bit]] = f"lane(c.m[{chunk}].o[{place}], {lane})"
            for port, nets in mhu.netlist.inputs.items():
                for net, inner in zip(box.ports[port], nets, strict=True):
                    statement = f"put(c.m[{chunk}].i[{mhu.inputs[inner]}], {lane}, {{}});"
                    roots.append(Root(net, shell.level[net], statement))
        return Code("Shell", shell, roots, loads)

    def _mhu(self) -> Code:
        """Return the code of the message handling units."""
        mhu, roots = self.mhu, []
        for (port, bit), place in mhu.outputs.items():
            net = mhu.netlist.outputs[port][bit]
            roots.append(Root(net, max(0, mhu.level[net]), f"x.o[{place}] = {{}};"))
        return Code("Mhu", mhu, roots, {net: f"x.i[{place}]" for net, place in mhu.inputs.items()})

    def cpp(self) -> str:
        """Return the C++ of the network."""
        shell, mhu = self._shell(), self._mhu()
        code = {part: "\n".join(part.functions()) for part in (mhu, shell)}
        calls = []
        for level in range(max(shell.last, mhu.last) + 1):
            if inside := mhu.calls(level, "x, c"):
                calls.append(f"for (auto &x : c.m) {{ {inside} }}")
            if outside := shell.calls(level, "c.x, c"):
                calls.append(outside)
        parts = [
            f"#define VECTOR {self.vector}",
            f"typedef uint{8 * self.lane_bytes}_t Lane;",
            '#include "parallel.h"',
            mhu.struct("Vector"),
            shell.struct("Word"),
            f"struct Context {{ Mhu m[{self.chunks}]; Shell x; }};",
            "#define ZERO (Value){}",
            "#define ONES (~ZERO)",
            "#define Value Mhu::Value",
            code[mhu],
            "#undef Value",
            "#define Value Shell::Value",
            code[shell],
            "#undef Value",
            "static void cycle(Context &c)\n{\n    " + "\n    ".join(calls) + "\n}\n",
            "static void setup(Context &c)\n{\n    " + "\n    ".join(self._start(shell)) + "\n}\n",
            self._ports(),
        ]
        return "\n".join(parts)

    def _start(self, shell: Code) -> Iterator[str]:
        """Yield the statements before the first cycle: registers that start with 1, then what never changes."""
        parts = ((self.mhu, "for (auto &x : c.m) x.q[{}] = ~(Mhu::Value){{}};"), (self.shell, "c.x.q[{}] = ~(Word)0;"))
        for circuit, statement in parts:
            for net, place in circuit.registers.items():
                if net in circuit.netlist.ones:
                    yield statement.format(place)
        yield shell.calls(STATIC, "c.x, c")

    def _ports(self) -> str:
        """Return the tables of the ports: where each begins, its width, and what is traced."""
        shell = self.shell.netlist
        places: dict[str, tuple[bool, int, int]] = {}
        for output, ports in ((False, shell.inputs), (True, shell.outputs)):
            place = 0
            for port, nets in ports.items():
                places[port] = output, place, len(nets)
                place += len(nets)

        def table(port: str) -> str:
            output, place, width = places[port]
            return f"{{{str(output).lower()}, {place}, {width}}}"

        lines = [f"static const Port {port.replace('__', '_')} = {table(port)};" for port in places]
        traced = [
            f"    {{{table(each.port)}, {each.flip}, {places[each.gate][1] if each.gate else -1}}},"
            for each in self.traced
        ]
        lines = ["namespace ports {", *lines, "}"]
        lines += ["static const std::vector<Traced> TRACED = {", *traced, "};", ""]
        return "\n".join(lines)
