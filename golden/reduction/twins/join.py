"""Join: the words of the node and of its children become one."""

from __future__ import annotations

from typing import NamedTuple

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.crosspoint.twins.flit import Reduced
from cubecast.golden.reduction.contract.config import ReductionConfig
from cubecast.golden.reduction.twins.alu import Alu
from cubecast.golden.reduction.twins.word import word_input, word_outputs

__all__ = ["Heads", "Join", "Setting"]


Heads = tuple[Reduced | None, Reduced | None, Reduced | None]
"""Heads of queues own, a and b."""


class Setting(NamedTuple):
    """What the registers say of a node: whether its unit runs, and what it takes part in."""

    running: int = 0
    member: int = 0
    deliver: int = 0
    has_a: int = 0
    has_b: int = 0


class Join:
    """Twin of the join: two stages, ``first`` and ``second``, each with a word or None.

    A cycle has two halves: :meth:`choose` finds what happens in it (``go1``, ``go2``, ``pops`` of own, a and b,
    ``mismatch``), :meth:`edge` takes the edge. What :meth:`out` offers is a function of registers and of whether the
    unit runs.

    Parameters
    ----------
    config : ReductionConfig
        Gives the width of a word.
    """

    def __init__(self, config: ReductionConfig) -> None:
        """Start in reset."""
        self.config = config
        self.alu = Alu(config)
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.first: Reduced | None = None
        self.second: Reduced | None = None

    @property
    def empty(self) -> bool:
        """Whether no word is inside."""
        return self.first is None and self.second is None

    def out(self, setting: Setting) -> Reduced | None:
        """Return the word that is offered towards the root."""
        return self.second if setting.running else None

    def choose(self, setting: Setting, heads: Heads, taken: bool) -> None:
        """Find what happens in this cycle, given the heads of the queues and whether the word offered is taken."""
        running, member, _, has_a, has_b = setting
        own, a, b = heads
        self._setting, self._taken = setting, taken
        uses_first = member or has_a
        self.go2 = bool(
            running
            and (self.first is not None or not uses_first)
            and (b is not None or not has_b)
            and (uses_first or has_b)
            and (self.second is None or taken)
        )
        self.go1 = bool(
            running
            and uses_first
            and (own is not None or not member)
            and (a is not None or not has_a)
            and (self.first is None or self.go2)
        )
        if running:
            self.pops = bool(self.go1 and member), bool(self.go1 and has_a), bool(self.go2 and has_b)
        else:
            self.pops = own is not None, a is not None, b is not None
        self._first = self._second = None
        self.mismatch = False
        if self.go1:
            self._first = self._joined(own if member else None, a if has_a else None)
        if self.go2:
            self._second = self._joined(self.first if uses_first else None, b if has_b else None)

    def waits(self, setting: Setting, heads: Heads) -> int:
        """Return which of own, a and b the words inside wait for in this cycle, as a mask."""
        uses = setting.member, setting.has_a, setting.has_b
        pairs = list(zip(uses, heads, strict=True))
        held = self.first is not None or any(used and head is not None for used, head in pairs)
        if not (setting.running and held):
            return 0
        absent = sum(1 << place for place, (used, head) in enumerate(pairs) if used and head is None)
        return absent if self.first is None else absent & 1 << 2

    def _joined(self, left: Reduced | None, right: Reduced | None) -> Reduced:
        """Return what becomes of one operand or of two."""
        if left is None or right is None:
            alone = right if left is None else left
            assert alone is not None
            return alone
        wrong = left.rop != right.rop or left.last != right.last
        self.mismatch |= wrong
        data = self.alu.join(left.data, right.data, left.rop)
        return Reduced(data, left.rop, left.last, int(left.error or right.error or wrong))

    def edge(self) -> None:
        """Take the edge of the cycle of :meth:`choose`."""
        if not self._setting.running:
            self.reset()
            return
        if self.go2:
            self.second = self._second
        elif self._taken:
            self.second = None
        if self.go1:
            self.first = self._first
        elif self.go2:
            self.first = None

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get = inputs.get
        setting = Setting(**{name: get(name, 0) for name in ("running", "member", "has_a", "has_b")})
        own, a, b = (word_input(name, inputs) if get(f"{name}__ne") else None for name in ("own", "a", "b"))
        self.choose(setting, (own, a, b), bool(get("o__taken")))
        out, waits = self.out(setting), self.waits(setting, (own, a, b))
        outputs: Outputs = {"o__valid": int(out is not None), **word_outputs("o", out)}
        for place, (name, pop) in enumerate(zip(("own", "a", "b"), self.pops, strict=True)):
            outputs[f"{name}__pop"], outputs[f"wait_{name}"] = int(pop), waits >> place & 1
        outputs["mismatch"], outputs["empty"] = int(self.mismatch), int(self.empty)
        if get("rst"):
            self.reset()
        else:
            self.edge()
        return outputs
