"""Network of crosspoint nodes: a hypercube of 2**n routers with adapters."""

from __future__ import annotations

from collections.abc import Iterable

from cubecast.golden.adapter.contract.config import AdapterConfig
from cubecast.golden.adapter.contract.registers import ADDRESS_BITS
from cubecast.golden.adapter.twins.node import AdapterNode
from cubecast.golden.adapter.twins.receiver import Received
from cubecast.golden.adapter.twins.words import Word
from cubecast.golden.common.contract.units import ADDRESS_BITS as CONTROL_BITS
from cubecast.golden.common.contract.units import DATA_BITS, REASON_BITS
from cubecast.golden.common.twins.ports import Inputs, Outputs, join, split
from cubecast.golden.crosspoint.twins.flit import IDLE

__all__ = ["AdapterNetwork"]


class AdapterNetwork:
    """Twin of the network of nodes; ports are vectors with an item for each node.

    In the payload vectors of ``receive`` and ``report`` the item of a node whose valid bit is 0 is 0. What goes back
    over a link is in the item of the node that sends. ``members`` are the nodes by address; ``cycle`` counts the edges
    since reset.

    Parameters
    ----------
    config : AdapterConfig
        Parameters of the nodes.
    probe : bool
        Whether the links can be seen: ports ``link_j_*`` for each dimension j.
    """

    def __init__(self, config: AdapterConfig, probe: bool = False) -> None:
        """Start in reset."""
        self.config = config
        self.probe = probe
        n, router = config.dim, config.router
        self.members = [AdapterNode(config, address=node) for node in range(config.nodes)]
        self._receive = {"data": config.width, "last": 1, "error": 1, "first": 1, "source": n, "path": n}
        self._report = {"reason": REASON_BITS, "destination": n, "port": REASON_BITS, "lane": REASON_BITS}
        self._wires = {"push": n + 1, "head": 1, "last": 1, "error": 1, "data": config.width, "r1": n}
        self._wires |= {"r2": n} if router.carries_r2 else {}
        self._wires |= {"kind": 2} if router.multicast else {}
        self.cycle = 0

    def reset(self) -> None:
        """Set all registers to their reset values."""
        for member in self.members:
            member.reset()
        self.cycle = 0

    def quiet(self) -> bool:
        """Return whether nothing is under way anywhere: no message, no packet, and no report."""
        return all(member.quiet() for member in self.members)

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get, config, members = inputs.get, self.config, self.members
        n, count, w = config.dim, config.nodes, config.width
        outputs = self._registers_shown()
        valid, receive_ready = get("send_valid", 0), get("receive_ready", 0)
        words = zip(
            split(get("send_data", 0), w, count),
            split(get("send_last", 0), 1, count),
            split(get("send_error", 0), 1, count),
            strict=True,
        )
        adapter = zip(
            split(get("adapter_address", 0), ADDRESS_BITS, count),
            split(get("adapter_write", 0), 1, count),
            split(get("adapter_write_data", 0), DATA_BITS, count),
            strict=True,
        )
        control = list(
            zip(
                split(get("control_address", 0), CONTROL_BITS, count),
                split(get("control_write", 0), 1, count),
                split(get("control_write_data", 0), DATA_BITS, count),
                strict=True,
            )
        )
        # Before the events of this cycle are counted.
        read_data = [m.router.control.read(place) for m, (place, _, _) in zip(members, control, strict=True)]
        peers = [[members[node ^ 1 << j].router for j in range(n)] for node in range(count)]
        far = [[peer.shown[j] for j, peer in enumerate(near)] for near in peers]
        downs = [sum(peer.down & 1 << j for j, peer in enumerate(near)) for near in peers]
        for node, (member, word, access) in enumerate(zip(members, words, adapter, strict=True)):
            sent = Word(*word) if valid >> node & 1 else None
            member.offer(far[node], sent, bool(receive_ready >> node & 1), access)
        outputs |= self._links_shown(far, [member.router.down for member in members])
        if get("rst"):
            self.reset()
            return outputs
        sent_links = [list(member.router.link_out) for member in members]
        for node, member in enumerate(members):
            member.router.control.read_data = read_data[node]
            place, write, data = control[node]
            arriving = [sent_links[node ^ 1 << j][j] for j in range(n)]
            member.edge(arriving, downs[node], (place, data) if write else None)
        self.cycle += 1
        return outputs

    def _registers_shown(self) -> Outputs:
        """Return the outputs that are functions of registers."""
        members = self.members
        outputs: dict[str, int] = {
            "send_ready": join((int(member.adapter.send_ready) for member in members), 1),
            "multiple_faults": join((member.router.control.multiple_faults for member in members), 1),
            "control_read_data": join((member.router.control.read_data for member in members), DATA_BITS),
            "adapter_read_data": join((member.adapter.registers.read_data for member in members), DATA_BITS),
        }
        shown = [member.shown for member in members]
        outputs["receive_valid"] = join((int(word is not None) for word in shown), 1)
        for name in Received._fields:
            outputs[f"receive_{name}"] = join((getattr(word, name, 0) for word in shown), self._receive[name])
        reports = [member.router.report for member in members]
        outputs["report_valid"] = join((int(report is not None) for report in reports), 1)
        for place, (name, width) in enumerate(self._report.items()):
            outputs[f"report_{name}"] = join((report[place] if report else 0 for report in reports), width)
        return dict(outputs)

    def _links_shown(self, far: list[list[tuple[int, int]]], downs: Iterable[int]) -> Outputs:
        """Return the vectors of the links, by the node that sends."""
        outputs: Outputs = {}
        if not self.probe:
            return outputs
        downs = list(downs)
        for j in range(self.config.dim):
            links = [member.router.link_out[j] for member in self.members]
            for name, width in self._wires.items():
                outputs[f"link_{j}_{name}"] = join(
                    (getattr(link, name) if link is not IDLE else 0 for link in links), width
                )
            for place, name in enumerate(("ready", "ready_up") if self.config.router.runs == 2 else ("ready",)):
                outputs[f"link_{j}_{name}"] = join((said[j][place] for said in far), 1)
            if self.config.router.fault_tolerant:
                outputs[f"link_{j}_down"] = join((down >> j & 1 for down in downs), 1)
        return outputs
