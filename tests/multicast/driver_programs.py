"""Programs of the four nodes of a square over the C driver of the multicast router; they call every function of it."""

from cubecast.golden.multicast.contract.axi import axi
from cubecast.golden.multicast.contract.reason import Reason
from cubecast.tb.harness.bench import Bench
from tests.common.driver_run import counted, cycles

__all__ = ["BENCH"]

STREAM, LONGER, REFUSED = -1, -3, -5

NOWHERE = 4
"""The source of a message that does not say it."""


def first(cpu):
    """Send, and what is refused."""
    assert cpu.init(0) == 0 and cpu.get_fault() == 0
    assert cpu.send([], 0, [], 0) == Reason.K_ZERO
    assert cpu.send([1, 2, 3], 3, [], 0) == Reason.LIST_TOO_LONG
    assert cpu.send([1, 4], 2, [], 0) == Reason.ADDRESS_BITS
    assert cpu.send([1], 1, [1, 2, 3], 3) == cpu.broadcast([1, 2, 3], 3) == Reason.DATA_TOO_LONG
    cpu.deaf = True
    assert cpu.send([1], 1, [], 0) == cpu.broadcast([], 0) == STREAM
    cpu.deaf = False
    assert cpu.send([1, 3], 2, [11, 0xFFFFFFFF], 2) == 0
    assert cpu.broadcast([7], 1) == 0
    assert cpu.send([3], 1, [], 0) == 0
    assert cpu.taken("source") == (0, NOWHERE, [5, 6])
    assert cpu.get_messages_in(2) == 3 and cpu.get_words_out(2) == 3
    counted(cpu)


def second(cpu):
    """Receive a list's message and a broadcast."""
    assert cpu.init(0) == 0
    assert sorted(cpu.taken("source") for _ in range(2)) == [(0, NOWHERE, [7]), (0, NOWHERE, [11, 0xFFFFFFFF])]


def third(cpu):
    """Be cut off, and find in the log what was not delivered."""
    assert cpu.taken("source", room=0) == (LONGER, NOWHERE, [])
    assert cpu.init(3) == 0 and cpu.get_cut() == 3
    assert cpu.send([0], 1, [1], 1) == 0
    while not cpu.get_status() & 2:
        pass
    assert cpu.error() == (Reason.UNDELIVERABLE, 0, 2, 0) and cpu.error() is None
    assert cpu.get_reports(Reason.UNDELIVERABLE) == 1 and cpu.get_log() == cpu.get_log_lost() == 0
    assert cpu.send([0], 1, [1], 1) == 0
    while not cpu.get_status() & 2:
        pass
    cpu.set_log(0)
    assert cpu.init(4) == REFUSED and cpu.get_fault() == 0
    cpu.set_fault(1)
    assert cpu.get_fault() == 1
    cpu.set_fault(0)
    cpu.deaf = True
    assert cpu.taken("source") == (STREAM, NOWHERE, [])


def fourth(cpu):
    """Receive all three, and answer."""
    assert cpu.init(0) == 0
    came = sorted(cpu.taken("source") for _ in range(3))
    assert came == [(0, NOWHERE, []), (0, NOWHERE, [7]), (0, NOWHERE, [11, 0xFFFFFFFF])]
    assert cpu.send([0], 1, [5, 6], 2) == 0


def stimulus(random, config, **options):
    """Run the programs."""
    yield from cycles(random, config, axi, (first, second, third, fourth), **options)


BENCH = Bench(unit="multicast.axi_network:AxiNetwork", stimulus=stimulus)
