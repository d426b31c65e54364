"""Packet network: a hypercube of packet routers."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.packet.config import PacketConfig
from cubecast.rtl.control_port import ADDRESS_BITS, DATA_BITS
from cubecast.rtl.instance import place
from cubecast.rtl.link import REASON_BITS

from .packet_router import PacketRouter

__all__ = ["PacketNetwork"]


class PacketNetwork(wiring.Component):
    """2**n packet routers; the link out of node v in dimension j leads to node v XOR 2**j.

    Every port is a packed vector over all nodes, with node v's value as item v. The payload of a stream going out
    (``eject``, ``report``, ``link``) reads 0 while its valid bit is 0.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the routers.
    probe : bool
        Also bring out the links.

    Ports
    -----
    inject_valid, inject_data, inject_last, inject_slots : in, 1, w, 1, n per node
        Packets of the nodes.
    inject_ready : out, n per node
        Slots that can take a word.
    eject_valid, eject_data, eject_last, eject_error : out, 1, w, 1, 1 per node
        Packets for the nodes.
    eject_ready : in, 1 per node
        A word for the node is taken.
    control_address, control_write, control_write_data : in, 7, 1, 32 per node
        Control ports.
    control_read_data : out, 32 per node
        Their answers.
    report_valid, report_reason, report_destination, report_port, report_lane : out, 1, 4, n, 4, 4 per node
        Reports as they happen.
    multiple_faults : out, 1 per node
        More than one link is out of use.
    link_j_valid, link_j_head, link_j_data, link_j_ready, link_j_refusing : out, 1, 1, head_bits, 1, 1 per node
        With ``probe``: the parallel link out of each node in dimension j.
    link_j_line, link_j_hold : out, 1 per node
        The same for serial links.

    Source: Buzzard 1988, section 5.2 (hypercube of nodes with a router each).
    """

    def __init__(self, config: PacketConfig, *, probe: bool = False):
        self.config = config
        self.probe = probe
        n, width = config.dim, config.width
        self._inputs = {
            "inject_valid": 1,
            "inject_data": width,
            "inject_last": 1,
            "inject_slots": n,
            "eject_ready": 1,
            "control_address": ADDRESS_BITS,
            "control_write": 1,
            "control_write_data": DATA_BITS,
        }
        self._outputs = {
            "inject_ready": n,
            "eject_valid": 1,
            "eject_data": width,
            "eject_last": 1,
            "eject_error": 1,
            "control_read_data": DATA_BITS,
            "report_valid": 1,
            "report_reason": REASON_BITS,
            "report_destination": n,
            "report_port": REASON_BITS,
            "report_lane": REASON_BITS,
        }
        if config.link == "serial":
            self._forward, self._backward = {"line": 1}, {"hold": 1}
        else:
            self._forward = {"valid": 1, "head": 1, "data": config.head_bits}
            self._backward = {"ready": 1, "refusing": 1}
        members = {name: In(bits * config.nodes) for name, bits in self._inputs.items()}
        members |= {name: Out(bits * config.nodes) for name, bits in self._outputs.items()}
        members["multiple_faults"] = Out(config.nodes)
        if probe:
            for j in range(n):
                link = {**self._forward, **self._backward}
                members |= {f"link_{j}_{name}": Out(bits * config.nodes) for name, bits in link.items()}
        super().__init__(members)

    def elaborate(self, platform):
        """Place the routers and connect the links."""
        m = Module()
        config = self.config
        routers = [place(m, f"router_{node}", PacketRouter, config) for node in range(config.nodes)]
        for node, router in enumerate(routers):
            m.d.comb += router.address.eq(node)
            for name, bits in self._inputs.items():
                m.d.comb += _port(router, name).eq(getattr(self, name).word_select(node, bits))
            for j in range(config.dim):
                out, into = router.link_out[j], routers[node ^ (1 << j)].link_in[j]
                m.d.comb += [getattr(into, name).eq(getattr(out, name)) for name in self._forward]
                m.d.comb += [getattr(out, name).eq(getattr(into, name)) for name in self._backward]
        for name in self._outputs:
            values = []
            for router in routers:
                value = _port(router, name)
                stream = name.partition("_")[0]
                gated = stream in ("eject", "report") and not name.endswith("_valid")
                values.append(Mux(_port(router, f"{stream}_valid"), value, 0) if gated else value)
            m.d.comb += getattr(self, name).eq(Cat(values))
        m.d.comb += self.multiple_faults.eq(Cat(router.multiple_faults for router in routers))
        if self.probe:
            for j in range(config.dim):
                links = [router.link_out[j] for router in routers]
                for name in (*self._forward, *self._backward):
                    gated = name in ("head", "data")
                    values = [
                        Mux(link.valid, getattr(link, name), 0) if gated else getattr(link, name) for link in links
                    ]
                    m.d.comb += getattr(self, f"link_{j}_{name}").eq(Cat(values))
        return m


def _port(router, name):
    """Return a router's port by the network's name for it: ``inject_valid`` is ``inject.valid``."""
    interface, _, member = name.partition("_")
    return getattr(getattr(router, interface), member)
