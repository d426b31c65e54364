"""Channel: the receiving side of one link, a message handling unit for each lane."""

from __future__ import annotations

from cubecast.golden.config import Config
from cubecast.golden.mhu import Mhu
from cubecast.golden.ports import Inputs, Outputs, bits

__all__ = ["Channel"]

WORD = ("valid", "data", "last", "error")


class Channel:
    """Twin of a channel.

    ``mhus`` are its units by lane; ``free`` has a one for each lane that can take a message.

    Parameters
    ----------
    config : Config
        Parameters of the router.
    address : int
        Address of the node.

    Source: Lan 1988, section 6.3 (input gateway and MHU); one MHU for each lane, so that the router cannot deadlock.
    """

    def __init__(self, config: Config, address: int = 0) -> None:
        """Start in reset."""
        self.config = config
        self.mhus = [Mhu(config) for _ in range(config.lanes)]
        self.free = (1 << config.lanes) - 1
        self.strap(address)

    def strap(self, address: int) -> None:
        """Set the address of the node; from the last lane no further negative hop can be made."""
        self.address = address
        for lane, mhu in enumerate(self.mhus):
            mhu.strap(address, int(self.config.lanes > 1 and lane == self.config.lanes - 1 and address.bit_count() & 1))

    def reset(self) -> None:
        """Set all registers to their reset values."""
        for mhu in self.mhus:
            mhu.reset()
        self.free = (1 << len(self.mhus)) - 1

    def step(self, inputs: Inputs) -> Outputs:
        """Return this clock's outputs and take the edge."""
        get = inputs.get
        self.strap(get("address", 0))
        valid, lane = get("link__valid", 0), get("link__lane", 0)
        outputs: Outputs = {"link__ready": self.free, "start": 0}
        word = {f"i__{field}": get(f"link__{field}", 0) for field in WORD[1:]}
        for index, mhu in enumerate(self.mhus):
            own = {"rst": get("rst", 0), "address": self.address, "fault": get("fault", 0), "no_lane": mhu.no_lane}
            own |= word
            own["i__valid"] = int(valid and lane == index)
            for j in range(self.config.ports):
                own[f"o__{j}__ready"] = get(f"o__{index}__{j}__ready", 0)
            own["report__ready"] = get(f"report__{index}__ready", 0)
            found = mhu.step(own)
            outputs["start"] = int(bool(outputs["start"] or found["start"]))
            for field in ("valid", "reason", "destination"):
                outputs[f"report__{index}__{field}"] = found[f"report__{field}"]
            for j in range(self.config.ports):
                for field in WORD:
                    outputs[f"o__{index}__{j}__{field}"] = found[f"o__{j}__{field}"]
        self.free = sum(mhu.free << index for index, mhu in enumerate(self.mhus))
        return outputs

    def trace(self) -> str:
        """Return the units that have a message, in one line."""
        return "; ".join(
            f"lane {lane} {self.mhus[lane].trace()}" for lane in bits(~self.free & (1 << len(self.mhus)) - 1)
        )
