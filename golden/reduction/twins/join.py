"""Join: the words of the node and of its children become one."""

from __future__ import annotations

from typing import NamedTuple

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.crosspoint.twins.flit import Reduced
from cubecast.golden.reduction.contract.config import ReductionConfig
from cubecast.golden.reduction.twins.alu import Alu
from cubecast.golden.reduction.twins.operator_stage import OperatorStage
from cubecast.golden.reduction.twins.word import word_input, word_outputs

__all__ = ["Heads", "Join", "Setting", "made_by"]


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
        self.stages = [OperatorStage(config) for _ in range(2 if config.operator_latency else 0)]
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.first: Reduced | None = None
        self.second: Reduced | None = None
        for stage in self.stages:
            stage.reset()
        # What the operators of the node give in the cycle.
        self.made = 0, 0

    @property
    def empty(self) -> bool:
        """Whether no word is inside."""
        if self.stages:
            return all(stage.empty for stage in self.stages)
        return self.first is None and self.second is None

    @property
    def _begun(self) -> bool:
        """Whether a word is in stage 1."""
        return not self.stages[0].empty if self.stages else self.first is not None

    def _rooms(self, taken: bool) -> tuple[bool, bool]:
        """Return whether stage 1 can take a word unless stage 2 does, and whether stage 2 can."""
        if self.stages:
            first, second = self.stages
            return first.room, second.room
        return self.first is None, self.second is None or taken

    def out(self, setting: Setting) -> Reduced | None:
        """Return the word that is offered towards the root."""
        return self.second if setting.running else None

    def choose(self, setting: Setting, heads: Heads, taken: bool) -> None:
        """Find what happens in this cycle, given the heads of the queues and whether the word offered is taken."""
        running, member, _, has_a, has_b = setting
        own, a, b = heads
        self._setting, self._taken = setting, taken
        uses_first = member or has_a
        room1, room2 = self._rooms(taken)
        self.go2 = bool(
            running
            and (self.first is not None or not uses_first)
            and (b is not None or not has_b)
            and (uses_first or has_b)
            and room2
        )
        self.go1 = bool(
            running
            and uses_first
            and (own is not None or not member)
            and (a is not None or not has_a)
            and (room1 or (self.go2 and not self.stages))
        )
        if running:
            self.pops = bool(self.go1 and member), bool(self.go1 and has_a), bool(self.go2 and has_b)
        else:
            self.pops = own is not None, a is not None, b is not None
        self._first = self._second = None
        self.mismatch = False
        self.operands: list[tuple[Reduced, Reduced] | None] = [None, None]
        if self.go1:
            self._first = self._joined(0, own if member else None, a if has_a else None)
        if self.go2:
            self._second = self._joined(1, self.first if uses_first else None, b if has_b else None)

    def waits(self, setting: Setting, heads: Heads) -> int:
        """Return which of own, a and b the words inside wait for in this cycle, as a mask."""
        uses = setting.member, setting.has_a, setting.has_b
        pairs = list(zip(uses, heads, strict=True))
        held = self._begun or any(used and head is not None for used, head in pairs)
        if not (setting.running and held):
            return 0
        absent = sum(1 << place for place, (used, head) in enumerate(pairs) if used and head is None)
        return absent & 1 << 2 if self._begun else absent

    def _joined(self, stage: int, left: Reduced | None, right: Reduced | None) -> Reduced:
        """Return what becomes of one operand or of two in a stage; an operator of the node makes the data later."""
        if left is None or right is None:
            alone = right if left is None else left
            assert alone is not None
            return alone
        wrong = left.rop != right.rop or left.last != right.last
        self.mismatch |= wrong
        self.operands[stage] = left, right
        data = self.alu.join(left.data, right.data, left.rop)
        return Reduced(data, left.rop, left.last, int(left.error or right.error or wrong))

    def edge(self) -> None:
        """Take the edge of the cycle of :meth:`choose`."""
        if self.stages:
            self._edges()
            return
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

    def _edges(self) -> None:
        """Take the edge of the operator stages; show what they can give in the next cycle."""
        first, second = self.stages
        running = bool(self._setting.running)
        uses_first = bool(self._setting.member or self._setting.has_a)
        both = [operands is not None for operands in self.operands]
        first.edge(running, self._first, both[0], self.made[0], self.go2 and uses_first)
        second.edge(running, self._second, both[1], self.made[1], self._taken and self.second is not None)
        self.first, self.second = first.word, second.word

    def unasked(self) -> Outputs:
        """Return the ports to the operators of the node in a cycle in which they are not compared."""
        names = ("valid", "a", "b", "rop")
        return {f"operator_{place + 1}__{name}": None for place, _ in enumerate(self.stages) for name in names}

    def asked(self) -> Outputs:
        """Return what the operators of the node are asked in the cycle of :meth:`choose`; none without a latency."""
        found: Outputs = {}
        for place, _ in enumerate(self.stages):
            left, right = self.operands[place] or (None, None)
            name = f"operator_{place + 1}"
            found |= {f"{name}__valid": int(left is not None), f"{name}__rop": getattr(left, "rop", None)}
            found |= {f"{name}__a": getattr(left, "data", None), f"{name}__b": getattr(right, "data", None)}
        return found

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get = inputs.get
        self.made = made_by(inputs)
        setting = Setting(**{name: get(name, 0) for name in ("running", "member", "has_a", "has_b")})
        own, a, b = (word_input(name, inputs) if get(f"{name}__ne") else None for name in ("own", "a", "b"))
        self.choose(setting, (own, a, b), bool(get("o__taken")))
        out, waits = self.out(setting), self.waits(setting, (own, a, b))
        outputs: Outputs = {"o__valid": int(out is not None), **word_outputs("o", out)}
        for place, (name, pop) in enumerate(zip(("own", "a", "b"), self.pops, strict=True)):
            outputs[f"{name}__pop"], outputs[f"wait_{name}"] = int(pop), waits >> place & 1
        outputs["mismatch"], outputs["empty"] = int(self.mismatch), int(self.empty)
        outputs |= self.asked()
        if get("rst"):
            self.reset()
        else:
            self.edge()
        return outputs


def made_by(inputs: Inputs) -> tuple[int, int]:
    """Return what the operators of the node give, at the ports of a unit."""
    return inputs.get("operator_1__y", 0), inputs.get("operator_2__y", 0)
