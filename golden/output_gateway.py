"""Output gateway: which of the waiting copies goes out through a port."""

from __future__ import annotations

from cubecast.golden.arbiter import Arbiter
from cubecast.golden.config import Config
from cubecast.golden.ports import Inputs, Outputs

__all__ = ["OutputGateway"]


class OutputGateway:
    """Twin of an output gateway; the choice is combinational, owner and arbiters are registers.

    A unit is numbered here by its *place*, so that the units of one in-lane are neighbours: place
    lane * (n + 1) + channel, the injection unit being channel n of lane 0.

    Parameters
    ----------
    config : Config
        Parameters of the router.
    local : bool
        Whether it is the gateway of the local port, which has no lanes.

    Source: Lan 1988, section 6.3 (output gateways O_j), figure 6.1.
    """

    def __init__(self, config: Config, local: bool = False) -> None:
        """Start in reset."""
        self.config = config
        self.local = local
        self.odd = 0
        self._pitch = config.ports
        self._group = (1 << config.ports) - 1
        self._lanes = range(config.lanes)
        self._all = (1 << config.lanes) - 1
        self.arbiters = [Arbiter(config, count=config.dim + (lane == 0)) for lane in self._lanes]
        self.top = Arbiter(config, count=config.lanes)
        self.places = [self.place(unit) for unit in range(config.units)]
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        for arbiter in (*self.arbiters, self.top):
            arbiter.reset()
        self.locked = False
        self.owner = 0

    def place(self, unit: int) -> int:
        """Return the place of unit u = channel * lanes + lane."""
        channel, lane = divmod(unit, self.config.lanes)
        return lane * self.config.ports + channel

    def lane(self, place: int) -> int:
        """Return the lane in which a message of this unit goes out; 0 at the local port."""
        if self.local or self.config.lanes == 1:
            return 0
        return place // self._pitch + self.odd

    def choose(self, want: int, ready: int) -> int:
        """Return the place of the unit whose word is offered, -1 if none is.

        Parameters
        ----------
        want : int
            Mask of the places whose word is valid.
        ready : int
            The link's ready lanes (not looked at on the local port).
        """
        if self.locked:
            return self.owner if want >> self.owner & 1 else -1
        if self.local:
            ready = self._all
        elif self._all > 1:
            ready >>= self.odd
        requests = 0
        for lane in self._lanes:
            if ready >> lane & 1 and want >> lane * self._pitch & self._group:
                requests |= 1 << lane
        if not requests:
            return -1
        lane = self.top.grant(requests)
        first = lane * self._pitch
        return first + self.arbiters[lane].grant(want >> first & self._group)

    def edge(self, place: int, moves: int, last: int) -> None:
        """Take the edge of a clock that offers a word of this place; ``moves``: it was taken."""
        if not self.locked:
            lane, channel = divmod(place, self._pitch)
            self.top.advance(lane)
            self.arbiters[lane].advance(channel)
            self.locked = True
            self.owner = place
        if moves and last:
            self.locked = False

    def step(self, inputs: Inputs) -> Outputs:
        """Return this clock's outputs and take the edge."""
        get = inputs.get
        self.odd = get("odd", 0)
        want = 0
        for unit, place in enumerate(self.places):
            want |= get(f"i__{unit}__valid", 0) << place
        place = self.choose(want, get("ready", 0))
        moves = get("advance", 0) if place >= 0 else 0
        outputs: Outputs = {"valid": int(place >= 0), "data": None, "last": None, "error": None, "lane": None}
        for unit, own in enumerate(self.places):
            outputs[f"i__{unit}__ready"] = int(own == place and moves)
        if place >= 0:
            unit = self.places.index(place)
            for field in ("data", "last", "error"):
                outputs[field] = get(f"i__{unit}__{field}", 0)
            outputs["lane"] = self.lane(place)
        outputs["waited"] = int(self.waited(want, place, moves))
        if get("rst"):
            self.reset()
        elif place >= 0:
            self.edge(place, moves, outputs["last"] or 0)
        return outputs

    @staticmethod
    def waited(want: int, place: int, moves: int) -> bool:
        """Return whether a word stands ready and does not move."""
        return want != (1 << place if moves else 0)
