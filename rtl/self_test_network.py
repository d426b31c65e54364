"""Self-test network: a hypercube that makes its own traffic and checks it."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect

from cubecast.golden.config import Config

from .instance import place
from .register_port import DATA_BITS
from .self_test_node import SelfTestNode, signature

__all__ = ["SelfTestNetwork"]

WORD = ("data", "last", "error", "lane")
REPORT = ("report_reason", "report_destination", "report_port", "report_lane")


class SelfTestNetwork(wiring.Component):
    """2**n self-test nodes; the link out of node v in dimension j leads to node v XOR 2**j.

    Every port but ``start`` and ``passed`` is a packed vector over all nodes, with node v's value as item v. The
    payload of a report or a link reads 0 while its valid bit is 0.

    Parameters
    ----------
    config : Config
        Parameters of the routers.
    probe : bool
        Also bring out the links.

    Ports
    -----
    start : in
        Let all generators begin.
    control_address, control_write, control_write_data : in, 7, 1, 32 per node
        Control ports of the routers.
    control_read_data : out, 32 per node
        Their answers.
    test_address, test_write, test_write_data : in, 6, 1, 32 per node
        Registers of generators and checkers.
    test_read_data : out, 32 per node
        Their answers.
    report_valid, report_reason, report_destination, report_port, report_lane : out, 1, 4, n, 4, 4 per node
        Reports as they happen.
    multiple_faults : out, 1 per node
        More than one fault bit is set.
    idle : out, 1 per node
        The node's generator has nothing to send.
    failed : out, 1 per node
        A message came in wrong.
    passed : out
        Everything that was sent since reset has arrived, once and unchanged, and nothing else has.
    link_j_valid, link_j_data, ... : out
        With ``probe``, every member of the link out of each node in dimension j.
    """

    def __init__(self, config: Config, *, probe: bool = False):
        self.config = config
        self.probe = probe
        self._node = signature(config)
        self._link = _flat(self._node.members["link_out"].signature)
        members = {"start": In(1), "passed": Out(1)}
        for name, member in _flat(self._node).items():
            if name not in ("address", "start", "missing", "difference"):
                members[name] = member.flow(member.shape * config.nodes)
        if probe:
            for j in range(config.dim):
                for name, member in self._link.items():
                    members[f"link_{j}_{name}"] = Out(member.shape * config.nodes)
        self._packed = members.keys() - {"start", "passed"}
        super().__init__(members)

    def elaborate(self, platform):
        """Place the nodes, connect the links, and add up what is missing."""
        m = Module()
        config = self.config
        nodes = [place(m, f"node_{node}", SelfTestNode, config) for node in range(config.nodes)]
        for address, node in enumerate(nodes):
            m.d.comb += [node.address.eq(address), node.start.eq(self.start)]
            for j, link in enumerate(node.link_out):
                connect(m, link, nodes[address ^ 1 << j].link_in[j])
        for name, member in _flat(self._node).items():
            if name in self._packed:
                vector, items = getattr(self, name), [_member(node, name) for node in nodes]
                if member.flow == In:
                    m.d.comb += [item.eq(vector.word_select(v, member.shape)) for v, item in enumerate(items)]
                else:
                    shown = [node.report.valid if name in REPORT else 1 for node in nodes]
                    m.d.comb += vector.eq(_gated(shown, items))
        if self.probe:
            for j in range(config.dim):
                links = [node.link_out[j] for node in nodes]
                for name in self._link:
                    shown = [link.valid if name in WORD else 1 for link in links]
                    items = [getattr(link, name) for link in links]
                    m.d.comb += getattr(self, f"link_{j}_{name}").eq(_gated(shown, items))
        self._add_up(m, nodes)
        return m

    def _add_up(self, m, nodes):
        """Visit the nodes one after the other, again and again while all are idle."""
        place_ = Signal(self.config.dim, name="place")
        sums = {name: Signal(DATA_BITS, name=f"sum_of_{name}") for name in ("missing", "difference")}
        now = {name: Signal(DATA_BITS, name=f"{name}_with_this_node") for name in sums}
        for name, total in sums.items():
            m.d.comb += now[name].eq(total + Array([getattr(node, name) for node in nodes])[place_])
        with m.If(~self.idle.all()):
            m.d.sync += [place_.eq(0), self.passed.eq(0), *(total.eq(0) for total in sums.values())]
        with m.Else():
            m.d.sync += place_.eq(place_ + 1)
            m.d.sync += [total.eq(Mux(place_.all(), 0, now[name])) for name, total in sums.items()]
            with m.If(place_.all()):
                m.d.sync += self.passed.eq(~Cat(self.failed, *now.values()).any())


def _flat(ports):
    """Return the ports of a signature, without arrays, by flat names: ``test_address`` for ``test.address``."""
    found = {}
    for name, member in ports.members.items():
        if member.is_port:
            found[name] = member
        elif not member.dimensions:
            found |= {f"{name}_{path}": port for path, port in _flat(member.signature).items()}
    return found


def _member(node, name):
    """Return a node's port by the network's name for it."""
    interface, _, member = name.partition("_")
    return (
        getattr(getattr(node, interface), member) if interface in ("control", "test", "report") else getattr(node, name)
    )


def _gated(shown, items):
    """Return the packed vector of items, 0 for those not shown."""
    return Cat(Mux(one, item, 0) for one, item in zip(shown, items, strict=True))
