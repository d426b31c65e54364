"""What the receiver of the collectives has to promise."""

from amaranth.hdl import Cat, Mux, Signal

from cubecast.golden.collective.contract.segment import Kind, Reading
from cubecast.rtl.collective.receiver import CollectiveReceiver
from cubecast.rtl.collective.segment import HEADER
from tests.collective.unit_spec import UnitSpec

__all__ = ["CollectiveReceiverSpec"]


class CollectiveReceiverSpec(UnitSpec):
    """Whatever comes, the receiver knows which word of a message is on offer, and lets only a ring's words wait.

    - ``phase`` is a function of the number of words taken since the last one with ``last``; what a message was does
      not matter for the next.
    - The fields are those of the message's third word (of the fourth with ``source_field``).
    - Each message that has one gives one ``head``, at that word, ``word`` for each after it, and ``message_end`` with
      its last; ``bad`` if it ends before, or with an error.
    - All is taken at once but the words of a ring's message from its head on. Of a message whose head or a word after
      it comes next at ``cut_short``, all that is left is taken at once too, and only ``bad`` is said of it.
    """

    unit = CollectiveReceiver

    def state(self, m):
        """Count the words of a message."""
        dut, i = self.dut, self.dut.i
        arrival, offer = dut.arrival, dut.offer
        phases = [Reading.CONTROL, Reading.SOURCE, Reading.KIND, Reading.ARGUMENT, Reading.BODY]
        if not self.config.router.source_field:
            phases.remove(Reading.SOURCE)
        body = len(phases) - 1
        place, after, dropped = Signal(range(len(phases))), Signal(range(len(phases))), Signal()
        header, fields = (
            Signal(HEADER.size),
            Cat(arrival.kind, arrival.is_final, arrival.stage, arrival.hops),
        )
        taken = i.valid & i.ready
        m.d.comb += after.eq(Mux(~taken, place, Mux(i.last, 0, Mux(place == body, body, place + 1))))
        m.d.sync += place.eq(after)
        with m.If(taken & (place == phases.index(Reading.KIND))):
            m.d.sync += header.eq(i.data)
        with m.If(dut.cut_short & (after >= body - 1)):
            m.d.sync += dropped.eq(1)
        with m.Elif(after == 0):
            m.d.sync += dropped.eq(0)
        self.claim(place <= body)
        for count, phase in enumerate(phases):
            self.claim((dut.phase == phase) == (place == count))
        self.claim(place >= body - 1, fields == header)
        at_head = place == body - 1
        waits = (at_head | (place == body)) & (arrival.kind == Kind.RING) & ~dropped
        self.claim(i.ready == (~waits | dut.ring_ready))
        self.claim(offer.offered == (i.valid & ~dropped))
        self.claim(arrival.head == (taken & at_head & ~dropped))
        self.claim(arrival.word == (taken & (place == body) & ~dropped))
        self.claim(arrival.message_end == (taken & i.last & (place >= body - 1) & ~dropped))
        self.claim(dut.bad == (taken & i.last & (i.error | (place < body - 1))))
        self.claim(
            offer.offered,
            Cat(offer.data, offer.last, offer.error) == Cat(i.data, i.last, i.error & i.last),
        )
        self.claim(offer.offered, arrival.argument == i.data[: len(arrival.argument)])
        self.invariant(dropped == self.register("dropping"))
        self.invariant(dropped, place >= body - 1)
        self.invariant(header == fields)
        self.reached(dropped & taken & i.last & (arrival.kind == Kind.RING) & ~dut.ring_ready)
        self.reached(arrival.message_end & at_head & dut.bad)
