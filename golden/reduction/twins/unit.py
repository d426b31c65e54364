"""Join unit: words of the node and of its children go towards the root, results come back."""

from __future__ import annotations

from collections.abc import Sequence

from cubecast.golden.common.twins.ports import Inputs, Outputs, stream
from cubecast.golden.crosspoint.twins.flit import Reduced
from cubecast.golden.crosspoint.twins.queue import Queue
from cubecast.golden.reduction.contract.config import ReductionConfig
from cubecast.golden.reduction.contract.word import RESERVED
from cubecast.golden.reduction.twins.down import Down
from cubecast.golden.reduction.twins.join import Heads, Join, made_by
from cubecast.golden.reduction.twins.registers import Happened, Registers
from cubecast.golden.reduction.twins.word import word_input, word_outputs

__all__ = ["ReductionUnit"]


class ReductionUnit:
    """Twin of the join unit.

    A cycle has two halves: :meth:`offer` finds what the outputs of the router are asked for (``requests``, by link) and
    what the node is offered (``result``); :meth:`edge` takes the edge, given what was taken and what comes, and does
    not move the read port. ``own_ready`` and ``ready_r`` (a mask of links) are functions of registers and stand for the
    coming cycle.

    Parameters
    ----------
    config : ReductionConfig
        Parameters of the node.
    """

    def __init__(self, config: ReductionConfig) -> None:
        """Start in reset."""
        self.config = config
        shape = config.queue_shape
        self.registers = Registers(config)
        self.own, self.a, self.b, self.d = (Queue[Reduced](shape) for _ in range(4))
        self._queues = self.own, self.a, self.b, self.d
        self.join, self.down = Join(config), Down(config)
        self._depth = config.reduce_depth
        self._clear()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        for queue in self._queues:
            queue.reset()
        self.registers.reset()
        self.join.reset()
        self.down.reset()
        self._clear()

    def _clear(self) -> None:
        """Set what is kept beside the parts to its reset value."""
        self.ready_r = 0
        self.requests: list[Reduced | None] = [None] * self.config.dim
        self.arrived: Sequence[Reduced | None] = [None] * self.config.dim
        self.result: Reduced | None = None
        # Mask of queues a, b and d: words for them were lost.
        self.broken = 0

    @property
    def own_ready(self) -> int:
        """Whether a word is taken from the node in the coming cycle."""
        registers = self.registers
        return int(bool(registers.abort or (registers.setting.running and self.own.level < self._depth)))

    @property
    def idle(self) -> bool:
        """Whether no word is inside."""
        held = any(link >= 0 and self.arrived[link] is not None for link in self._links)
        return not any(queue.ne for queue in self._queues) and not held and self.join.empty

    @property
    def resting(self) -> bool:
        """Whether an edge changes nothing unless something comes or is written."""
        if self.broken and not self.registers.setting.running:
            return False
        return self.idle and not any(self.arrived) and not self.registers.timer and self.ready_r == self._flags()

    @property
    def _heads(self) -> Heads:
        """What the join is offered."""
        return _head(self.own), _head(self.a), _head(self.b)

    @property
    def _links(self) -> tuple[int, int, int]:
        """The links that queues a, b and d hear of, -1 for none."""
        registers = self.registers
        return registers.a, registers.b, registers.parent

    def _flags(self) -> int:
        """Return the flags that the links show next."""
        if not self.registers.setting.running:
            return 0
        pairs = zip(self._links, self._queues[1:], strict=True)
        return sum(1 << link for link, queue in pairs if link >= 0 and queue.room)

    def read(self, address: int) -> int:
        """Return what a register reads in the coming cycle."""
        down_wait = int(bool(self.registers.setting.running and self.d.ne))
        waits = self.join.waits(self.registers.setting, self._heads)
        return self.registers.read(address, waits, down_wait, int(self.idle))

    def offer(self) -> None:
        """Find what the outputs and the node are offered in this cycle."""
        registers = self.registers
        setting, head = registers.setting, _head(self.d)
        self._up = self.join.out(setting)
        ask_a, ask_b, deliver = self.down.ask(setting, head is not None)
        self.requests = [None] * self.config.dim
        if ask_a:
            self.requests[registers.a] = head
        if ask_b:
            self.requests[registers.b] = head
        if registers.parent >= 0:
            self.requests[registers.parent] = self._up
        self.result = head if deliver else None

    def edge(
        self,
        arriving: Sequence[Reduced | None],
        taken: int,
        own: Reduced | None = None,
        result_ready: int = 0,
        write: tuple[int, int] | None = None,
        cut: int = 0,
    ) -> None:
        """Take the edge of the cycle of :meth:`offer`.

        Parameters
        ----------
        arriving : sequence
            The words that come over the links, by dimension.
        taken : int
            Mask of the links whose request was granted.
        own : Reduced, optional
            What the node offers.
        result_ready : int
            Whether the node takes a result.
        write : tuple, optional
            Address and data written to the registers.
        cut : int
            Mask of the links that are cut, of which words in registers are lost.
        """
        registers, join, down = self.registers, self.join, self.down
        setting, head, up = registers.setting, _head(self.d), self._up
        if registers.parent >= 0:
            turned, up_taken = False, up is not None and bool(taken >> registers.parent & 1)
        else:
            turned = up_taken = up is not None and self.d.level < self._depth
        waits = join.waits(setting, self._heads)
        join.choose(setting, self._heads, up_taken)
        granted = tuple(int(link >= 0 and taken >> link & 1) for link in (registers.a, registers.b))
        served = granted[0], granted[1], result_ready
        popped = down.pops(setting, head is not None, served)
        breaks = 0
        if cut and setting.running:
            breaks = sum((cut >> link & 1) << place for place, link in enumerate(self._links) if link >= 0)
        bad = setting.running and popped and head is not None and head.error
        happened = Happened(
            waits=waits,
            mismatch=int(join.mismatch),
            bad_result=int(bool(bad or breaks)),
            up=int(up_taken),
            down=int(bool(setting.running and popped)),
            link_wait=int(up is not None and not up_taken),
        )
        flags = self._flags()
        come = self.arrived if self.config.reduce_register else arriving
        pushed = [come[link] if link >= 0 and setting.running else None for link in self._links]
        if self.broken:
            # What follows words that were lost meets others than it should.
            pushed = [
                word._replace(error=1) if word is not None and self.broken >> place & 1 else word
                for place, word in enumerate(pushed)
            ]
        self.broken = self.broken | breaks if setting.running else 0
        if turned:
            pushed[2] = up
        accepted = None
        if own is not None and setting.running and self.own_ready:
            accepted = own._replace(error=int(own.rop >= RESERVED))
        if self.config.reduce_register:
            self.arrived = arriving
        for queue, word, pop in zip(self._queues, (accepted, *pushed), (*join.pops, popped), strict=True):
            queue.edge(word, pop)
        down.edge(setting, head is not None, served)
        join.edge()
        registers.edge(happened, write)
        self.ready_r = flags

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get, n = inputs.get, self.config.dim
        self.offer()
        read_data = self.read(get("control__address", 0))
        outputs = {"ready_r": self.ready_r, **self.shown("control")}
        for j, word in enumerate(self.requests):
            outputs[f"output__{j}__request"] = int(word is not None)
            outputs |= word_outputs(f"output__{j}", word)
        if get("rst"):
            self.reset()
            return outputs | self.join.unasked()
        arriving = [word_input(f"link__{j}", inputs) if get(f"link__{j}__push_r") else None for j in range(n)]
        taken = sum(get(f"output__{j}__taken", 0) << j for j in range(n))
        self.edge(arriving, taken, *self.hear(inputs, "control"), get("cut", 0))
        outputs |= self.join.asked()
        self.registers.read_data = read_data
        return outputs

    def shown(self, control: str = "reduction") -> Outputs:
        """Return the ports to the node in the cycle of :meth:`offer`, those of the operators left out.

        Parameters
        ----------
        control : str
            What the port of the registers is called.
        """
        word = self.result
        payload = None if word is None else (word.data, word.last, word.error)
        outputs: Outputs = {"own__ready": self.own_ready, "alarm": self.registers.alarm}
        outputs[f"{control}__read_data"] = self.registers.read_data
        return outputs | stream("result", ("data", "last", "error"), payload)

    def hear(self, inputs: Inputs, control: str) -> tuple[Reduced | None, int, tuple[int, int] | None]:
        """Take what the node's operators give; return its word, whether it takes a result, and its write."""
        get = inputs.get
        self.join.made = made_by(inputs)
        write = get(f"{control}__address", 0), get(f"{control}__write_data", 0)
        own = word_input("own", inputs) if get("own__valid") else None
        return own, get("result__ready", 0), write if get(f"{control}__write") else None


def _head(queue: Queue[Reduced]) -> Reduced | None:
    """Return the word at the head of a queue."""
    return queue.words[0] if queue.words else None
