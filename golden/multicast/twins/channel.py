"""Channel: the receiving side of one link, a message handling unit for each lane."""

from __future__ import annotations

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.twins.mhu import Mhu
from cubecast.golden.multicast.twins.policy import policy_of
from cubecast.golden.multicast.twins.shared_multicaster import SharedMulticaster

__all__ = ["Channel"]

WORD = ("valid", "data", "last", "error")


class Channel:
    """Twin of a channel.

    ``mhus`` are its units by lane, ``multicaster`` is the one that they share, None if each has its own.

    Parameters
    ----------
    config : Config
        Parameters of the router.
    address : int
        Address of the node.
    up : int
        The address bit of the link's dimension (for the policy ``ordered``): the hop over this link was 0 -> 1.

    Source: Lan 1988, section 6.3 (input gateway and MHU); one MHU for each lane, so that the router cannot deadlock.
    """

    def __init__(self, config: Config, address: int = 0, up: int = 0) -> None:
        """Start in reset, with no link cut."""
        self.config = config
        shared = config.shares_multicaster
        self.mhus = [Mhu(config, shared=shared) for _ in range(config.lanes)]
        self.multicaster = SharedMulticaster(config) if shared else None
        self._offer()
        self.strap(address, up)

    @property
    def ready(self) -> int:
        """Mask of the lanes that can take a message."""
        return sum(mhu.ready << lane for lane, mhu in enumerate(self.mhus))

    @property
    def asks(self) -> int:
        """Mask of the lanes that ask for the turn at the multicaster that they share."""
        return sum(mhu.asks << lane for lane, mhu in enumerate(self.mhus))

    @property
    def turning(self) -> bool:
        """Whether the turn needs an edge though no unit asks and no word is offered."""
        return self.multicaster is not None and not self.multicaster.resting

    def turn_edge(self, asks: int, decides: int, lane: int | None) -> None:
        """Take the edge of the turn, after those of the units.

        Parameters
        ----------
        asks : int
            Mask of the lanes that asked in this cycle.
        decides : int
            Whether one of them has decided.
        lane : int or None
            The lane of the word offered on the link, if one is.
        """
        if self.multicaster is not None:
            self.multicaster.edge(asks, decides, lane)
            self._offer()

    def _offer(self) -> None:
        """Tell the units which of them may decide in the coming cycle."""
        if self.multicaster is not None:
            holder = self.multicaster.holder
            for lane, mhu in enumerate(self.mhus):
                mhu.offered = int(lane == holder)

    def strap(self, address: int, up: int) -> None:
        """Set the address of the node and the direction of the hop over this link.

        From the last lane no further negative hop can be made (``greedy``), no further turn (``ordered``).
        """
        self.address = address
        for mhu in self.mhus:
            mhu.strap(address, 0)
        if self.config.lanes == 1:
            return
        self.mhus[-1].strap(address, policy_of(self.config).dead_end(address, up))

    def links(self, fault: int, cut: int) -> None:
        """Set which links of the node are cut from this cycle on, and whether this one is."""
        for mhu in self.mhus:
            mhu.links(fault, cut)

    def reset(self) -> None:
        """Set all registers to their reset values."""
        for mhu in self.mhus:
            mhu.reset()
        if self.multicaster is not None:
            self.multicaster.reset()
            self._offer()

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get = inputs.get
        self.strap(get("address", 0), get("up", 0))
        self.links(get("fault", 0), get("cut", 0))
        valid, lane, rst = get("link__valid", 0), get("link__lane", 0), get("rst", 0)
        asks, decides = self.asks, 0
        outputs: Outputs = {"link__ready": self.ready, "start": 0}
        word = {f"i__{field}": get(f"link__{field}", 0) for field in WORD[1:]}
        for index, mhu in enumerate(self.mhus):
            own = {"rst": rst, "address": self.address, "no_lane": mhu.no_lane}
            own |= {"fault": mhu.fault, "cut": mhu.cut, **word}
            own["i__valid"] = int(valid and lane == index)
            for j in range(self.config.ports):
                own[f"o__{j}__ready"] = get(f"o__{index}__{j}__ready", 0)
            own["report__ready"] = get(f"report__{index}__ready", 0)
            if mhu.shared and mhu.offered:
                choice = mhu.choose()
                own |= {"offered": 1, "y": choice.y, "r": choice.r, "k": choice.k}
            found = mhu.step(own)
            decides |= found.get("decides") or 0
            outputs["start"] = int(bool(outputs["start"] or found["start"]))
            for field in ("valid", "reason", "destination"):
                outputs[f"report__{index}__{field}"] = found[f"report__{field}"]
            for j in range(self.config.ports):
                for field in WORD:
                    outputs[f"o__{index}__{j}__{field}"] = found[f"o__{j}__{field}"]
        if rst:
            self.reset()
        else:
            self.turn_edge(asks, decides, lane if valid else None)
        return outputs

    def trace(self) -> str:
        """Return the units that have a message, in one line."""
        return "; ".join(f"lane {lane} {mhu.trace()}" for lane, mhu in enumerate(self.mhus) if not mhu.free)
