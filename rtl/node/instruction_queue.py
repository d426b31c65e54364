"""Instruction queue: doorbells that wait for the control unit."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import bits_for

from cubecast.golden.node.contract.config import NodeConfig
from cubecast.rtl.node.fifo import Fifo
from cubecast.rtl.node.stream import ADDRESS_BITS, INSTRUCTION_BITS, Doorbell

__all__ = ["InstructionQueue"]


class InstructionQueue(wiring.Component):
    """Keep doorbells in order; one taken in cycle t is offered from cycle t + 1 on.

    Parameters
    ----------
    config : NodeConfig
        Gives the depth.

    Ports
    -----
    doorbell__valid, doorbell__instruction, doorbell__address, doorbell__ready : in, 1 and 3 and 32; out, 1
        What the processor asks for; ``ready`` is a function of registers.
    o__valid, o__instruction, o__address, o__ready : out, 1 and 3 and 32; in, 1
        The oldest instruction.
    places : out, bits of 0..``instructions``
        How many more have room.

    Source: Buzzard 1988, section 4.1.1 (instructions of the coprocessor).
    """

    def __init__(self, config: NodeConfig):
        self.config = config
        super().__init__(
            {"doorbell": In(Doorbell()), "o": Out(Doorbell()), "places": Out(bits_for(config.instructions))}
        )

    def elaborate(self, platform):
        """Build the FIFO."""
        m = Module()
        depth = self.config.instructions
        fifo = Fifo(m, "queue", self.config.router.memories, shape=INSTRUCTION_BITS + ADDRESS_BITS, depth=depth)
        m.d.comb += [
            self.doorbell.ready.eq(fifo.level != depth),
            fifo.push.eq(self.doorbell.valid & self.doorbell.ready),
            fifo.data.eq(Cat(self.doorbell.instruction, self.doorbell.address)),
            self.o.valid.eq(fifo.level != 0),
            Cat(self.o.instruction, self.o.address).eq(fifo.head),
            fifo.pop.eq(self.o.valid & self.o.ready),
            self.places.eq(depth - fifo.level),
        ]
        return m
