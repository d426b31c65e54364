"""Cube: equal nodes wired as a hypercube, with their ports as packed vectors."""

from collections.abc import Mapping, Sequence

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect

from cubecast.rtl.common.instance import place

__all__ = ["Cube", "vectors"]

PAYLOAD = ("head", "data", "last", "error", "kind", "lane", "reason", "destination", "port")
"""Members of a stream that mean something only while it is valid."""

Ports = Mapping[tuple[str, ...], wiring.Member]
"""Ports of a node or of a stream by their paths."""


class Cube(wiring.Component):
    """2**n nodes of one kind; the link out of node v in dimension j leads to node v XOR 2**j.

    Every port of the nodes but straps and links is a packed vector, with node v's value as item v; ``inject.valid`` is
    called ``inject_valid``. The payload of a stream that goes out reads 0 while its ``valid`` is 0.

    Parameters
    ----------
    node : class
        Component; takes ``config``.
    ports : Signature
        Its ports; ``address``, ``link_in`` and ``link_out`` are among them.
    config : configuration
        Has ``dim`` and ``nodes``.
    called : str
        What an instance is called; its address is appended.
    probe : bool
        Also bring out the links, as ``link_j_valid`` and so on.
    hidden : sequence of str
        Ports that stay inside, besides ``address``.
    extra : dict
        Further ports of the cube.
    payload : sequence of str
        Members of its streams that mean something only while they are valid, besides those of all streams.

    Source: Lan 1988, section 2.3 (hypercube).
    """

    def __init__(
        self,
        node: type[wiring.Component],
        ports: wiring.Signature,
        config: object,
        *,
        called: str = "node",
        probe: bool = False,
        hidden: Sequence[str] = (),
        extra: Mapping[str, wiring.Member] | None = None,
        payload: Sequence[str] = (),
    ):
        self.config = config
        self.probe = probe
        self._node, self._called = node, called
        self._payload = (*PAYLOAD, *payload)
        self._link = {path: Out(port.shape) for path, port in _flat(ports.members["link_out"].signature).items()}
        self._ports = _outer(ports, hidden)
        members = vectors(ports, config.nodes, hidden)
        if probe:
            for j in range(config.dim):
                for (name,), port in self._link.items():
                    members[f"link_{j}_{name}"] = Out(port.shape * config.nodes)
        super().__init__(members | dict(extra or {}))

    def elaborate(self, platform):
        """Place the nodes and connect them."""
        m = Module()
        self._assemble(m)
        return m

    def _assemble(self, m):
        """Place the nodes and connect them; return them in the order of their addresses."""
        config = self.config
        nodes = [place(m, f"{self._called}_{v}", self._node, config) for v in range(config.nodes)]
        for v, node in enumerate(nodes):
            m.d.comb += node.address.eq(v)
            for j, link in enumerate(node.link_out):
                connect(m, link, nodes[v ^ 1 << j].link_in[j])
        _pack(
            m,
            {"_".join(path): getattr(self, "_".join(path)) for path in self._ports},
            self._ports,
            nodes,
            self._payload,
        )
        if self.probe:
            for j in range(config.dim):
                vectors = {name: getattr(self, f"link_{j}_{name}") for (name,) in self._link}
                _pack(m, vectors, self._link, [node.link_out[j] for node in nodes])
        return nodes


def vectors(ports: wiring.Signature, nodes: int, hidden: Sequence[str] = ()) -> dict[str, wiring.Member]:
    """Return the packed vectors that the ports of so many nodes become; ``hidden`` as for :class:`Cube`."""
    return {"_".join(path): port.flow(port.shape * nodes) for path, port in _outer(ports, hidden).items()}


def _outer(ports, hidden):
    """Return the ports of a node that come out of the cube by their paths."""
    return {path: port for path, port in _flat(ports).items() if path[0] not in ("address", *hidden)}


def _flat(ports):
    """Return the ports of a signature by their paths, without arrays."""
    found = {}
    for name, member in ports.members.items():
        if member.is_port:
            found[(name,)] = member
        elif not member.dimensions:
            found |= {(name, *path): port for path, port in _flat(member.signature).items()}
    return found


def _member(unit, path):
    """Return the port of a unit with this path."""
    for name in path:
        unit = getattr(unit, name)
    return unit


def _pack(
    m: Module, vectors: Mapping[str, Value], ports: Ports, units: Sequence[object], payload: Sequence[str] = PAYLOAD
) -> None:
    """Connect ports of units with packed vectors; ``payload`` are the members that read 0 while they are not valid."""
    for path, port in ports.items():
        vector = vectors["_".join(path)]
        items = [_member(unit, path) for unit in units]
        if port.flow == In:
            m.d.comb += [item.eq(vector.word_select(v, port.shape)) for v, item in enumerate(items)]
            continue
        valid = (*path[:-1], "valid")
        if path[-1] in payload and valid in ports:
            items = [Mux(_member(unit, valid), item, 0) for unit, item in zip(units, items, strict=True)]
        m.d.comb += vector.eq(Cat(items))
