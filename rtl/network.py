"""Network: a hypercube of routers."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.config import Config

from .control_port import ADDRESS_BITS, DATA_BITS
from .instance import place
from .link import REASON_BITS
from .router import Router

__all__ = ["Network"]


class Network(wiring.Component):
    """2**n routers; the link out of node v in dimension j leads to node v XOR 2**j.

    Every port is a packed vector over all nodes, with node v's value as item v. The payload of a stream going out
    (``eject``, ``report``, ``link``) reads 0 while its valid bit is 0.

    Parameters
    ----------
    config : Config
        Parameters of the routers.
    probe : bool
        Also bring out the links.

    Ports
    -----
    inject_valid, inject_data, inject_last, inject_error : in, 1, w, 1, 1 per node
        Messages of the processors.
    inject_ready : out, 1 per node
        A word of theirs is taken.
    eject_valid, eject_data, eject_last, eject_error : out, 1, w, 1, 1 per node
        Deliveries.
    eject_ready : in, 1 per node
        A delivered word is taken.
    control_address, control_write, control_write_data : in, 7, 1, 32 per node
        Control ports.
    control_read_data : out, 32 per node
        Their answers.
    report_valid, report_reason, report_destination, report_port, report_lane : out, 1, 4, n, 4, 4 per node
        Reports as they happen.
    multiple_faults : out, 1 per node
        More than one link is cut.
    link_j_valid, link_j_data, link_j_last, link_j_error, link_j_lane, link_j_ready : out, 1, w, 1, 1, lane_bits, L
        With ``probe``: the link out of each node in dimension j.
    link_j_down : out, 1 per node
        With ``probe`` in the fault-tolerant format: its sender's fault bit.

    Source: Lan 1988, section 2.3 (hypercube), figures 2.1 and 2.2.
    """

    def __init__(self, config: Config, *, probe: bool = False):
        self.config = config
        self.probe = probe
        n, width = config.dim, config.width
        self._inputs = {
            "inject_valid": 1,
            "inject_data": width,
            "inject_last": 1,
            "inject_error": 1,
            "eject_ready": 1,
            "control_address": ADDRESS_BITS,
            "control_write": 1,
            "control_write_data": DATA_BITS,
        }
        self._outputs = {
            "inject_ready": 1,
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
        self._link = {
            "valid": 1,
            "data": width,
            "last": 1,
            "error": 1,
            "lane": config.lane_bits,
            "ready": config.lanes,
        }
        if config.fault_tolerant:
            self._link["down"] = 1
        members = {name: In(bits * config.nodes) for name, bits in self._inputs.items()}
        members |= {name: Out(bits * config.nodes) for name, bits in self._outputs.items()}
        members["multiple_faults"] = Out(config.nodes)
        if probe:
            for j in range(n):
                members |= {f"link_{j}_{name}": Out(bits * config.nodes) for name, bits in self._link.items()}
        super().__init__(members)

    def elaborate(self, platform):
        """Place the routers and connect the links."""
        m = Module()
        config = self.config
        routers = [place(m, f"router_{node}", Router, config) for node in range(config.nodes)]
        for node, router in enumerate(routers):
            m.d.comb += router.address.eq(node)
            for name, bits in self._inputs.items():
                m.d.comb += _port(router, name).eq(getattr(self, name).word_select(node, bits))
            for j in range(config.dim):
                out, into = router.link_out[j], routers[node ^ (1 << j)].link_in[j]
                m.d.comb += [
                    into.valid.eq(out.valid),
                    into.data.eq(out.data),
                    into.last.eq(out.last),
                    into.error.eq(out.error),
                    into.lane.eq(out.lane),
                    out.ready.eq(into.ready),
                ]
                if config.fault_tolerant:
                    m.d.comb += into.down.eq(out.down)
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
                for name in self._link:
                    values = []
                    for router in routers:
                        link = router.link_out[j]
                        value = getattr(link, name)
                        values.append(value if name in ("valid", "ready", "down") else Mux(link.valid, value, 0))
                    m.d.comb += getattr(self, f"link_{j}_{name}").eq(Cat(values))
        return m


def _port(router, name):
    """Return a router's port by the network's name for it: ``inject_valid`` is ``inject.valid``."""
    interface, _, member = name.partition("_")
    return getattr(getattr(router, interface), member)
