"""Testbench of the traffic generator: registers set at random, every message looked at, all sums made again."""

import dataclasses

from cubecast.golden.common.contract.units import DATA_BITS
from cubecast.golden.common.twins.traffic_pattern import mix
from cubecast.golden.multicast.contract.self_test import Command, Generator
from cubecast.golden.multicast.twins.traffic_generator import COUNTERS as COUNTED
from cubecast.golden.multicast.twins.traffic_generator import TrafficGenerator
from cubecast.tb.common.patterns import LEFT, chance, moods, sparse
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH", "NEAR_END", "settings"]

COUNTERS = (Generator.MESSAGES, Generator.WORDS, Generator.EXPECTED, Generator.EXPECTED_WORDS, Generator.SIGNATURE)

START, STOP = 1 << Command.START, 1 << Command.STOP

COMMANDS = {Command.START: "start by register", Command.STOP: "stop", Command.CLEAR: "clear"}
"""What happens when a bit of CONTROL is written as one."""


def settings(random, config):
    """Return random values of the registers that shape the traffic."""
    n, most = config.dim, config.max_data
    values = {
        Generator.SEED: random.choice((0, random.getrandbits(32))),
        Generator.LOAD: random.choice((300, 3000, 20_000, 65_535, 65_536, 0x1FFFF)),
        Generator.LIMIT: random.choice((1, 2, random.randint(3, 20), 0xFFFF0000)),
    }
    shares = (random.choice((0, 64, 255, random.randrange(256))) for _ in range(3))
    values[Generator.MIX] = sum(share << 8 * place for place, share in enumerate(shares))
    for register, bits, top in ((Generator.MULTICAST, n, config.max_dest), (Generator.LISTED, n, config.max_list)):
        least = random.choice((0, 1, top, random.getrandbits(bits)))
        values[register] = least | random.choice((0, 1, 3, (1 << bits) - 1)) << 16
    values[Generator.LENGTH] = random.choice((0, most, random.randint(0, most))) | sparse(random, 3) << 16
    return values


def stimulus(random, config, begin=0):
    """Set the registers, start, and follow the messages till the end or a reset; then read the sums back.

    ``begin``: what counters have after a reset, which comes before each round then, in the place of a clear.
    """
    while True:
        address = random.getrandbits(config.dim)
        listener, clear = Listener(config, address, begin), _write(Generator.CONTROL, 1 << Command.CLEAR)
        yield {"rst": int(begin != 0), "start": 0, "address": address, "o__ready": 0} | clear
        if begin:
            yield {"rst": 0, "control__write": 0}
        values = list(settings(random, config).items())
        random.shuffle(values)
        for register, value in values:
            # Every bit changes.
            yield _write(register, value ^ 0xFFFFFFFF)
            yield _write(register, value)
        yield _write(Generator.CONTROL, START) if chance(random, 0.5) else {"control__write": 0, "start": 1}
        if (yield from _traffic(random, listener)):
            yield {"rst": 1}
        else:
            yield from _read_back(listener)


def _write(register, value):
    """Return the inputs that write a register."""
    return {"control__address": int(register), "control__write": 1, "control__write_data": value}


def _traffic(random, listener):
    """Take words, start and stop at random; return whether to reset, else everything has been sent."""
    drawing = moods(random, 100, ready=(0.1, 0.6, 1.0), start=(0.0, 0.01), stop=(0.0, 0.0, 0.02))
    cycles = 0
    while True:
        cycles += 1
        mood = next(drawing)
        ready = chance(random, mood["ready"])
        change = {"start": chance(random, mood["start"]), "control__write": 0, "o__ready": ready}
        if cycles % 600 == 0 or chance(random, mood["stop"]):
            change |= _write(Generator.CONTROL, random.choice((STOP, STOP, STOP | START)) if cycles % 600 else STOP)
        else:
            change["control__address"] = random.choice((random.randrange(32), int(Generator.PENDING), 0))
        outputs = yield change
        if ready and outputs["o__valid"]:
            listener.hear(outputs["o__data"], outputs["o__last"])
        if outputs["idle"] and not change["start"] and not change["control__write"]:
            assert not listener.words, "idle in the middle of a message"
            return False
        if cycles > 100 and chance(random, 0.003):
            return True


def _read_back(listener):
    """Compare the sums with those that were made of the messages."""
    for register in COUNTERS:
        yield {"control__address": int(register), "control__write": 0, "start": 0}
        outputs = yield {}
        count, want = outputs["control__read_data"], listener.sums[register] % 2**32
        assert count == want, f"{register.name}: {count}, not {want}"


class Listener:
    """Takes the messages apart, and keeps the sums that the generator must have.

    Parameters
    ----------
    config : Config
        Format.
    address : int
        Address of the node.
    begin : int
        What the sums begin with.
    """

    def __init__(self, config, address, begin):
        self.config, self.address = config, address
        self.words = []
        self.sums = dict.fromkeys(COUNTERS, begin)

    def hear(self, word, last):
        """Take a word."""
        self.words.append(word)
        self.sums[Generator.WORDS] += 1
        if last:
            self._message(self.words)
            self.words = []

    def _message(self, words):
        """Check a message, and add to the sums what its deliveries will be."""
        config, k = self.config, words[0]
        if k == config.broadcast_k:
            destinations = [node for node in range(config.nodes) if node != self.address]
            head = words[1:]
        else:
            assert 1 <= k <= config.max_list, f"k = {k}"
            destinations, head = words[1 : k + 1], words[k + 1 :]
            assert len(set(destinations)) == k and self.address not in destinations, f"{destinations}"
        spread = config.nodes - 1 if k > config.max_dest else 0
        header = [spread] if config.fault_tolerant else [self.address]
        header += [self.address] if config.source_field else []
        assert head[: len(header)] == header, f"{head}"
        payload = head[len(header) :]
        assert len(payload) <= config.max_data
        sequence = self.sums[Generator.MESSAGES]
        if payload:
            tag = (self.address + (sequence << config.dim)) % 2**32
            assert payload[0] == sum(tag << 32 * i for i in range(16)) % 2**config.width, f"{payload[0]:#x}"
        self.sums[Generator.MESSAGES] += 1
        self.sums[Generator.EXPECTED] += len(destinations)
        self.sums[Generator.EXPECTED_WORDS] += len(destinations) * len(payload)
        tag = payload[0] % 2**32 if payload else 0
        self.sums[Generator.SIGNATURE] += sum(mix(tag, len(payload), node) for node in destinations)


def watch(inputs, outputs, twin):
    """Name kinds, lengths, and what begins and ends."""
    config = twin.config
    if outputs["o__valid"]:
        yield f"{twin.kind.name} on its way".lower()
        if not inputs["o__ready"]:
            yield "word waits"
        if outputs["o__last"]:
            yield "empty message" if not twin.length else "payload"
            if twin.length == config.max_data:
                yield "longest payload"
    if twin.state == 1:
        yield "sum of a broadcast"
    if twin.spare == 0 and twin.remaining and twin.k not in (0, config.broadcast_k):
        yield "no address to spare"
    if twin.pending > 1:
        yield "messages wait"
    if inputs["start"]:
        yield "start"
    if inputs["control__write"] and inputs["control__address"] == Generator.CONTROL:
        command = inputs["control__write_data"]
        yield from (name for bit, name in COMMANDS.items() if command >> bit & 1)
    if not outputs["idle"] and not twin.running and not twin.pending:
        yield "last message of a run"
    if inputs["rst"] and outputs["o__valid"]:
        yield "reset"


def events(config, extra, options):
    """Return what can happen with these parameters."""
    happen = ["unicast on its way", "broadcast on its way", "multicast on its way", "listed on its way"]
    happen += ["word waits", "empty message", "sum of a broadcast", "messages wait", "no address to spare"]
    happen += ["start", "start by register", "stop", "clear", "last message of a run", "reset"]
    if config.max_data:
        happen += ["payload", "longest payload"]
    return tuple(happen)


BENCH = Bench(
    unit="multicast.traffic_generator:TrafficGenerator",
    stimulus=stimulus,
    events=events,
    watch=watch,
)


class NearEnd(TrafficGenerator):
    """The twin, its counters near the end of their range after a reset."""

    def reset(self):
        """Set all registers to their reset values."""
        super().reset()
        for counter in COUNTED:
            self.registers[counter] = LEFT % (1 << DATA_BITS)


NEAR_END = dataclasses.replace(
    BENCH,
    twin="cubecast.tb.multicast.traffic_generator:NearEnd",
    presets={"_messages|words|expected|expected_words|expected_signature|clocks": LEFT},
)
"""The same with counters that come to the end of their range."""
