"""Local port: gives the router's injection and ejection port to the host or to the collective unit."""

from __future__ import annotations

from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.common.twins.ports import Inputs, Outputs

__all__ = ["LocalPort"]

FIELDS = ("data", "last", "error")


class LocalPort:
    """Twin of the local port; an owner changes between messages only.

    ``inject_unit`` and ``eject_unit`` say whether the collective unit has the direction, ``inject_open`` and
    ``eject_open`` whether a message is under way in it.

    Parameters
    ----------
    config : CollectiveConfig
        Parameters of the node.
    """

    def __init__(self, config: CollectiveConfig) -> None:
        """Start in reset, when the host has both directions."""
        self.config = config
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.inject_unit = self.inject_open = 0
        self.eject_unit = self.eject_open = 0

    def edge(self, enable: int, injected: int | None, ejected: int | None) -> None:
        """Take the edge of a cycle.

        Parameters
        ----------
        enable : int
            Whether the local port belongs to the collectives.
        injected, ejected : int or None
            ``last`` of the word that moves in this direction, None if none does.
        """
        self.inject_unit, self.inject_open = _next(enable, self.inject_unit, self.inject_open, injected)
        self.eject_unit, self.eject_open = _next(enable, self.eject_unit, self.eject_open, ejected)

    def stays(self, enable: int) -> bool:
        """Return whether both owners stay as long as no word moves."""
        return (bool(self.inject_open) or self.inject_unit == enable) and (
            bool(self.eject_open) or self.eject_unit == enable
        )

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get = inputs.get
        sender = "unit_inject" if self.inject_unit else "host_inject"
        taker, other = ("unit_eject", "host_eject") if self.eject_unit else ("host_eject", "unit_eject")
        offered, came = get(f"{sender}__valid", 0), get("eject__valid", 0)
        inject_ready, eject_ready = get("inject__ready", 0), get(f"{taker}__ready", 0)
        outputs: Outputs = {
            "host_inject__ready": 0 if self.inject_unit else inject_ready,
            "unit_inject__ready": inject_ready if self.inject_unit else 0,
            "inject__valid": offered,
            "eject__ready": eject_ready,
            f"{taker}__valid": came,
            f"{other}__valid": 0,
        }
        for name in FIELDS:
            outputs[f"inject__{name}"] = get(f"{sender}__{name}", 0) if offered else None
            outputs[f"{taker}__{name}"] = get(f"eject__{name}", 0) if came else None
            outputs[f"{other}__{name}"] = None
        if get("rst"):
            self.reset()
            return outputs
        injected = inject_ready and offered
        self.edge(
            get("enable", 0),
            get(f"{sender}__last", 0) if injected else None,
            get("eject__last", 0) if came and eject_ready else None,
        )
        return outputs


def _next(enable: int, unit: int, is_open: int, last: int | None) -> tuple[int, int]:
    """Return owner and state of a direction after the edge; ``last`` is that of the word that moves, if any."""
    if last or (last is None and not is_open):
        unit = enable
    return unit, is_open if last is None else 1 - last
