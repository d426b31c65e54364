"""Programs of the four nodes of a square over the C driver of the crosspoint router; they call every function of it."""

from cubecast.golden.crosspoint.contract.axi import axi
from cubecast.golden.crosspoint.contract.word import CrosspointReason, Kind
from cubecast.tb.harness.bench import Bench
from tests.common.driver_run import counted, cycles

__all__ = ["BENCH"]

STREAM, LONGER, NO_DATA, REFUSED = -1, -3, -4, -5


def first(cpu):
    """Send, and what is refused."""
    most = cpu.config.packet_limit
    long = list(range(1, most + 2))
    assert cpu.init(0) == 0 and cpu.get_fault() == 0
    assert cpu.send(4, [1], 1) == cpu.send_packet(Kind.UNICAST, 0, 4, [1], 1) == CrosspointReason.ADDRESS_BITS
    assert cpu.send_bitmap(4, [1], [1], 1) == CrosspointReason.ADDRESS_BITS
    assert cpu.send(0, [1], 1) == cpu.send_subcube(0, 0, [1], 1) == CrosspointReason.EMPTY
    assert cpu.send_packet(4, 1, 0, [1], 1) == CrosspointReason.BAD_KIND
    assert cpu.send(1, [], 0) == cpu.broadcast([], 0) == cpu.send_bitmap(0, [2], [], 0) == NO_DATA
    assert cpu.send(1, long, most + 1) == cpu.send_bitmap(0, [2], long, most) == CrosspointReason.DATA_TOO_LONG
    cpu.deaf = True
    assert cpu.send(1, [1], 1) == cpu.send_bitmap(0, [2], [1], 1) == STREAM and cpu.taken() == (STREAM, [])
    cpu.deaf = False
    assert cpu.send(3, long, most) == 0
    assert cpu.taken() == (0, [5])
    # To nodes 1 and 3: bit x is node x.
    assert cpu.send_bitmap(0, [0b1010], [6, 7], 2) == 0
    assert cpu.taken() == (0, [5])
    assert cpu.broadcast([8], 1) == 0
    assert cpu.taken() == (0, [5])
    assert cpu.send_subcube(2, 1, [9], 1) == 0
    assert cpu.get_messages_in(2) == 4 and cpu.get_words_out(2) == 3
    counted(cpu)


def second(cpu):
    """Receive from a bitmap, with too little room, and a broadcast."""
    assert cpu.init(0) == 0
    assert cpu.taken(room=1) == (LONGER, [6])
    assert cpu.taken(room=0) == (LONGER, [])


def third(cpu):
    """Receive a broadcast and a subcube's packet; be cut off, and find in the log what was not delivered."""
    assert [cpu.taken() for _ in range(2)] == [(0, [8]), (0, [9])]
    assert cpu.init(3) == 0
    for again in range(2):
        assert cpu.send(0, [1], 1) == 0
        while not cpu.get_status() & 2:
            pass
        if again:
            cpu.set_log(0)
        else:
            assert cpu.error() == (CrosspointReason.UNDELIVERABLE, 0, 1, 1) and cpu.error() is None
    assert cpu.get_reports(CrosspointReason.UNDELIVERABLE) == 2 and cpu.get_log() == cpu.get_log_lost() == 0
    assert cpu.get_cut() == 3 and cpu.init(4) == REFUSED and cpu.get_fault() == 0
    cpu.set_fault(0)


def fourth(cpu):
    """Receive all four, and answer each of the first three."""
    most = cpu.config.packet_limit
    assert cpu.init(0) == 0
    for came in (list(range(1, most + 1)), [6, 7], [8]):
        assert cpu.taken() == (0, came)
        assert cpu.send_packet(Kind.UNICAST, 3, 0, [5], 1) == 0
    assert cpu.taken() == (0, [9])


def stimulus(random, config, **options):
    """Run the programs."""
    yield from cycles(random, config, axi, (first, second, third, fourth), **options)


BENCH = Bench(unit="crosspoint.axi_network:AxiCrosspointNetwork", stimulus=stimulus)
