"""Programs of the four nodes of a square over the C driver of the packet router; they call every function of it."""

from cubecast.golden.packet.contract.axi import axi
from cubecast.golden.packet.contract.reason import PacketReason
from cubecast.tb.harness.bench import Bench
from tests.common.driver_run import counted, cycles

__all__ = ["BENCH"]

STREAM, REFUSED = -1, -5

UNSET = 99
"""What a number is before the driver sets it."""


def data(cpu):
    """Return the longest data of a packet."""
    return list(range(1, cpu.config.max_words))


def first(cpu):
    """Send, and what is refused."""
    words, most = data(cpu), cpu.config.max_words - 1
    assert cpu.init(0) == 0 and cpu.get_fault() == 0
    assert cpu.send(4, words, most) == PacketReason.ADDRESS_BITS
    assert cpu.send(0, words, most) == cpu.send_by(1, 0, words, most) == PacketReason.BAD_SLOT
    assert cpu.send_by(1, 4, words, most) == PacketReason.BAD_SLOT
    assert cpu.send(1, words, most + 1) == cpu.broadcast(words, most + 1) == PacketReason.DATA_TOO_LONG
    cpu.deaf = True
    assert cpu.send(1, words, most) == STREAM and cpu.taken("source", "slot") == (STREAM, UNSET, 0, [])
    cpu.deaf = False
    assert cpu.send(3, cpu.words(words), most) == 0
    assert sorted(cpu.taken("source", "slot") for _ in range(2)) == [(0, 3, 0, words), (0, 3, 1, words)]
    assert cpu.send_by(3, 1, cpu.words(words), most) == 0
    assert cpu.broadcast(cpu.words(words), most) == 0
    assert cpu.get_messages_in(2) == 3
    counted(cpu)


def second(cpu):
    """Receive a broadcast."""
    assert cpu.init(0) == 0
    assert cpu.taken("source", "slot") == (0, 0, 0, data(cpu))


def third(cpu):
    """Receive it, be cut off, and find in the log what was not delivered."""
    words, most = data(cpu), cpu.config.max_words - 1
    assert cpu.taken("source", "slot") == (0, 0, 1, words)
    assert cpu.init(3) == 0 and cpu.get_cut() == 3
    assert cpu.send(0, words, most) == PacketReason.UNDELIVERABLE
    for again in range(2):
        assert cpu.send_by(0, 2, words, most) == 0
        while not cpu.get_status() & 2:
            pass
        if again:
            cpu.set_log(0)
        else:
            assert cpu.error() == (PacketReason.UNDELIVERABLE, 0, 1, 2) and cpu.error() is None
    assert cpu.get_reports(PacketReason.UNDELIVERABLE) == 2 and cpu.get_log() == cpu.get_log_lost() == 0
    assert cpu.init(4) == REFUSED and cpu.get_fault() == 0
    cpu.set_fault(0)


def fourth(cpu):
    """Receive all three, and answer the first by both ways."""
    words, most = data(cpu), cpu.config.max_words - 1
    assert cpu.init(0) == 0
    assert cpu.taken("source", "slot") == (0, 0, 0, words)
    assert cpu.send_by(0, 2, cpu.words(words), most) == cpu.send(0, cpu.words(words), most) == 0
    assert [cpu.taken("source", "slot") for _ in range(2)] == [(0, 0, 0, words)] * 2


def stimulus(random, config, **options):
    """Run the programs."""
    yield from cycles(random, config, axi, (first, second, third, fourth), **options)


BENCH = Bench(unit="packet.axi_network:AxiPacketNetwork", stimulus=stimulus)
