"""Crosspoint network: a hypercube of 2**n crosspoint routers."""

from __future__ import annotations

from cubecast.golden.common.contract.units import ADDRESS_BITS, DATA_BITS, REASON_BITS
from cubecast.golden.common.twins.ports import Inputs, Outputs, join, split
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.word import KIND_BITS
from cubecast.golden.crosspoint.twins.flit import IDLE, Head, Link
from cubecast.golden.crosspoint.twins.router import NO_WORD, CrosspointRouter

__all__ = ["CrosspointNetwork"]


class CrosspointNetwork:
    """Twin of the crosspoint network; ports are vectors with an item for each node.

    In the payload vectors of ``eject`` and ``report`` the item of a node whose valid bit is 0 is 0. What goes back over
    a link is in the item of the node that sends. ``routers`` are the routers by address; ``cycle`` counts the edges
    since reset. A router that rests and to which nothing comes takes no edge.

    Parameters
    ----------
    config : CrosspointConfig
        Parameters of the routers.
    probe : bool
        Whether the links can be seen: ports ``link_j_*`` for each dimension j.
    """

    def __init__(self, config: CrosspointConfig, probe: bool = False) -> None:
        """Start in reset."""
        self.config = config
        self.probe = probe
        n = config.dim
        self.routers = [CrosspointRouter(config, address=node) for node in range(config.nodes)]
        self._inject = {"data": config.width, "last": 1, "error": 1, "r1": n, "r2": n, "kind": KIND_BITS}
        self._wires = {"push": n + 1, "head": 1, "last": 1, "error": 1, "data": config.width, "r1": n}
        self._wires |= {"r2": n} if config.carries_r2 else {}
        self._wires |= {"kind": KIND_BITS} if config.multicast else {}
        self.cycle = 0

    def reset(self) -> None:
        """Set all registers to their reset values."""
        for router in self.routers:
            router.reset()
        self.cycle = 0

    def quiet(self) -> bool:
        """Return whether nothing is anywhere in the network: no word, no packet begun, and no report."""
        return all(router.quiet() for router in self.routers)

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get, n, routers = inputs.get, self.config.dim, self.routers
        eject_ready = get("eject_ready", 0)
        addresses = split(get("control_address", 0), ADDRESS_BITS, self.config.nodes)
        # Before the events of this cycle are counted.
        read_data = [router.control.read(address) for router, address in zip(routers, addresses, strict=True)]
        for node, router in enumerate(routers):
            if router.awake:
                peers = [routers[node ^ 1 << j] for j in range(n)]
                ready = sum(peer.ready & 1 << j for j, peer in enumerate(peers))
                ready_up = sum(peer.ready_up & 1 << j for j, peer in enumerate(peers))
                router.offer(ready, ready_up, eject_ready >> node & 1)
        outputs = self._outputs()
        if get("rst"):
            self.reset()
            return outputs
        for router, data in zip(routers, read_data, strict=True):
            router.control.read_data = data
        self._edge(inputs, addresses, eject_ready)
        self.cycle += 1
        return outputs

    def _edge(self, inputs: Inputs, addresses: list[int], eject_ready: int) -> None:
        """Take the edge of all routers to which anything can happen."""
        get, n, routers = inputs.get, self.config.dim, self.routers
        valid, write, written = get("inject_valid", 0), get("control_write", 0), get("control_write_data", 0)
        sent = [router.link_out for router in routers]
        down = [router.down for router in routers]
        arriving: list[tuple[int, list[Link], int]] = []
        for node, router in enumerate(routers):
            links = [sent[node ^ 1 << j][j] for j in range(n)]
            downs = sum(down[node ^ 1 << j] & 1 << j for j in range(n))
            stirred = (valid | write) >> node & 1 or downs or any(link is not IDLE for link in links)
            if router.awake or stirred:
                arriving.append((node, links, downs))
        for node, links, downs in arriving:
            router = routers[node]
            word = self._word(inputs, node) if valid >> node & 1 or router.injection.inside else NO_WORD
            data = written >> DATA_BITS * node & (1 << DATA_BITS) - 1
            access = (addresses[node], data) if write >> node & 1 else None
            if not router.awake:
                router.rest()
            router.edge(links, downs, eject_ready >> node & 1, valid >> node & 1, word, access)

    def _word(self, inputs: Inputs, node: int) -> Head:
        """Return what is on a node's wires."""
        return Head(
            *(
                inputs.get(f"inject_{name}", 0) >> width * node & (1 << width) - 1
                for name, width in self._inject.items()
            )
        )

    def _outputs(self) -> Outputs:
        """Return the outputs of the cycle."""
        config, routers = self.config, self.routers
        outputs: dict[str, int] = {"inject_ready": 0, "eject_valid": 0, "report_valid": 0}
        ejects = {"data": config.width, "last": 1, "error": 1, "kind": KIND_BITS}
        reports = {"reason": REASON_BITS, "destination": config.dim, "port": REASON_BITS, "lane": REASON_BITS}
        outputs |= {f"eject_{name}": 0 for name in ejects} | {f"report_{name}": 0 for name in reports}
        outputs["multiple_faults"] = 0
        for node, router in enumerate(routers):
            outputs["inject_ready"] |= router.inject_ready << node
            outputs["multiple_faults"] |= router.control.multiple_faults << node
            if router.ejected is not None:
                outputs["eject_valid"] |= 1 << node
                for (name, width), value in zip(ejects.items(), router.ejected, strict=True):
                    outputs[f"eject_{name}"] |= value << width * node
            if router.report is not None:
                outputs["report_valid"] |= 1 << node
                for (name, width), value in zip(reports.items(), router.report, strict=True):
                    outputs[f"report_{name}"] |= value << width * node
        outputs["control_read_data"] = join((router.control.read_data for router in routers), DATA_BITS)
        if self.probe:
            for j in range(config.dim):
                outputs |= self._link(j)
        return dict(outputs)

    def _link(self, j: int) -> dict[str, int]:
        """Return the vectors of the links of a dimension, by the node that sends."""
        config, bit = self.config, 1 << j
        found = {f"link_{j}_{name}": 0 for name in self._wires}
        for node, router in enumerate(self.routers):
            link = router.link_out[j]
            if link is not IDLE:
                for name, width in self._wires.items():
                    found[f"link_{j}_{name}"] |= getattr(link, name) << width * node
        for name in ("ready", "ready_up") if config.runs == 2 else ("ready",):
            said = (getattr(self.routers[node ^ bit], name) >> j & 1 for node in range(config.nodes))
            found[f"link_{j}_{name}"] = join(said, 1)
        if config.fault_tolerant:
            found[f"link_{j}_down"] = join((router.down >> j & 1 for router in self.routers), 1)
        return found

    def trace(self) -> str:
        """Return the routers that have a word, one line each: queues with their words."""
        lines = [router.trace() for router in self.routers if not router.quiet()]
        return f"cycle {self.cycle}\n" + "\n".join(lines or ["idle"])
