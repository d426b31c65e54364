"""Down: a result goes to both children and to the node, once each."""

from __future__ import annotations

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.reduction.contract.config import ReductionConfig
from cubecast.golden.reduction.twins.join import Setting

__all__ = ["Down"]


class Down:
    """Twin of the way down; ``done`` says of child a, child b and the node who has had the result at the queue's head.

    A cycle has two halves: :meth:`ask` finds who is offered it, :meth:`edge` takes the edge, given who took it.

    Parameters
    ----------
    config : ReductionConfig
        Parameters of the node.
    """

    def __init__(self, config: ReductionConfig) -> None:
        """Start in reset."""
        self.config = config
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.done = (False, False, False)

    def ask(self, setting: Setting, ne: bool) -> tuple[bool, bool, bool]:
        """Return who of a, b and the node is offered the result, given whether there is one."""
        targets = setting.has_a, setting.has_b, setting.deliver
        live = bool(setting.running) and ne
        a, b, node = (bool(live and target and not done) for target, done in zip(targets, self.done, strict=True))
        return a, b, node

    def pops(self, setting: Setting, ne: bool, taken: tuple[int, int, int]) -> bool:
        """Return whether the result leaves the queue, given who takes it in this cycle."""
        return ne and (not setting.running or self._served(setting, taken))

    def _served(self, setting: Setting, taken: tuple[int, int, int]) -> bool:
        """Return whether all targets have had the result by the end of this cycle."""
        targets = setting.has_a, setting.has_b, setting.deliver
        return all(not target or done or took for target, done, took in zip(targets, self.done, taken, strict=True))

    def edge(self, setting: Setting, ne: bool, taken: tuple[int, int, int]) -> None:
        """Take the edge; ``taken`` counts only for those who are offered the result."""
        if not (setting.running and ne) or self._served(setting, taken):
            self.reset()
            return
        asked = self.ask(setting, ne)
        a, b, node = (bool(done or (ask and took)) for done, ask, took in zip(self.done, asked, taken, strict=True))
        self.done = a, b, node

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get = inputs.get
        setting = Setting(**{name: get(name, 0) for name in ("running", "deliver", "has_a", "has_b")})
        ne, taken = bool(get("d__ne")), (get("taken_a", 0), get("taken_b", 0), get("result__ready", 0))
        ask_a, ask_b, valid = self.ask(setting, ne)
        outputs: Outputs = {"ask_a": int(ask_a), "ask_b": int(ask_b), "result__valid": int(valid)}
        outputs["d__pop"] = int(self.pops(setting, ne, taken))
        if get("rst"):
            self.reset()
        else:
            self.edge(setting, ne, taken)
        return outputs
