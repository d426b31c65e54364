"""Output gateway: which of the waiting copies goes out through a port."""

from __future__ import annotations

from cubecast.golden.common.contract.units import Requests
from cubecast.golden.common.twins.arbiter import Arbiter
from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.twins.policy import policy_of

__all__ = ["OutputGateway"]


class OutputGateway:
    """Twin of an output gateway; the choice is combinational, owner and arbiters are registers.

    The arbiter of a group is here one over all units, which chooses among those of the group as one over them would.

    Parameters
    ----------
    config : Config
        Parameters of the router.
    local : bool
        Whether it is the gateway of the local port, which has no lanes.

    Source: Lan 1988, section 6.3 (output gateways O_j), figure 6.1.
    """

    def __init__(self, config: Config, local: bool = False) -> None:
        """Start in reset, with the link not cut."""
        self.config = config
        self.local = local
        self.cut = 0
        self.arbiters = [Arbiter(Requests(count=config.units)) for _ in range(config.lanes)]
        self.top = Arbiter(Requests(count=config.lanes))
        self._policy = policy_of(config)
        self._strap = -1
        self.strap(0)
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        for arbiter in (*self.arbiters, self.top):
            arbiter.reset()
        self.locked = False
        self.owner = 0

    def strap(self, strap: int) -> None:
        """Set what the lane of a message depends on beside the one it came in: ``gateway`` of the policy's facts."""
        if strap == self._strap:
            return
        self._strap = strap
        lanes, policy = self.config.lanes, self._policy
        self._group_of, self._lane_of = [], []
        masks = [0] * lanes
        for unit in range(self.config.units):
            channel, lane = divmod(unit, lanes)
            leaves = policy.leaves(strap, channel, lane)
            group = policy.group(lane, leaves)
            if group < lanes:
                masks[group] |= 1 << unit
            self._group_of.append(group)
            self._lane_of.append(0 if self.local else leaves)
        needs = [1 if self.local else 1 << policy.lane_of_group(strap, group) for group in range(lanes)]
        self._groups = list(zip(masks, needs, strict=True))

    def link(self, cut: int) -> None:
        """Set whether the link is cut from this cycle on; while it is, nobody owns it."""
        self.cut = cut
        if cut:
            self.locked = False

    def lane(self, unit: int) -> int:
        """Return the lane in which a message of this unit goes out; 0 at the local port."""
        return self._lane_of[unit]

    def order(self) -> list[int]:
        """Return the units of whose copies one is chosen while nobody owns the link, the one before all others first.

        Units of a lane that does not go on here are left out; others may have to wait for the lane they go out in.
        """
        lanes, found = self.config.lanes, list[int]()
        for group in self.top.order():
            mask, need = self._groups[group]
            if not need >> lanes:
                found += [unit for unit in self.arbiters[group].order() if mask >> unit & 1]
        return found

    def choose(self, want: int, ready: int) -> int:
        """Return the unit whose word is offered, -1 if none is.

        Parameters
        ----------
        want : int
            Mask of the units whose word is valid.
        ready : int
            The link's ready lanes (ignored on the local port).
        """
        if self.cut:
            return -1
        if self.locked:
            return self.owner if want >> self.owner & 1 else -1
        if self.local:
            ready = 1
        requests, group = 0, 1
        for mask, need in self._groups:
            if want & mask and ready & need:
                requests |= group
            group <<= 1
        if not requests:
            return -1
        group = self.top.grant(requests)
        return self.arbiters[group].grant(want & self._groups[group][0])

    def edge(self, unit: int, moves: int, last: int) -> None:
        """Take the edge of a cycle that offers a word of this unit; ``moves``: it was taken."""
        if not self.locked:
            group = self._group_of[unit]
            self.top.advance(group)
            self.arbiters[group].advance(unit)
            self.locked = True
            self.owner = unit
        if moves and last:
            self.locked = False

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get, units = inputs.get, range(self.config.units)
        self.strap(get(self.config.policy_facts.gateway.name, 0))
        self.link(get("cut", 0))
        want = sum(get(f"i__{unit}__valid", 0) << unit for unit in units)
        chosen = self.choose(want, get("ready", 0))
        moves = get("advance", 0) if chosen >= 0 else 0
        outputs: Outputs = {"valid": int(chosen >= 0), "data": None, "last": None, "error": None, "lane": None}
        for unit in units:
            outputs[f"i__{unit}__ready"] = int(unit == chosen and moves)
        if chosen >= 0:
            for field in ("data", "last", "error"):
                outputs[field] = get(f"i__{chosen}__{field}", 0)
            outputs["lane"] = self.lane(chosen)
        outputs["waited"] = int(self.waited(want, chosen, moves))
        if get("rst"):
            self.reset()
        elif chosen >= 0:
            self.edge(chosen, moves, outputs["last"] or 0)
        return outputs

    @staticmethod
    def waited(want: int, unit: int, moves: int) -> bool:
        """Return whether a word stands ready and does not move."""
        return want != (1 << unit if moves else 0)
