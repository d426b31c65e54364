"""Testbench of the traffic checker: deliveries as a generator makes them, and such with something wrong."""

import dataclasses

from cubecast.golden.common.contract.units import DATA_BITS
from cubecast.golden.common.twins.traffic_pattern import first_word, follow, mix, own
from cubecast.golden.multicast.contract.self_test import Checker, Command, Phase
from cubecast.golden.multicast.twins.traffic_checker import TrafficChecker
from cubecast.tb.common.patterns import LEFT, chance, moods, sparse
from cubecast.tb.harness.bench import Bench
from cubecast.tb.multicast.traffic import Source

__all__ = ["BENCH", "NEAR_END"]

WORD = ("i__valid", "i__data", "i__last", "i__error")
COUNTERS = (
    Checker.DELIVERED,
    Checker.DELIVERED_WORDS,
    Checker.SIGNATURE,
    Checker.PAYLOAD_ERRORS,
    Checker.ERRORS,
)


def stimulus(random, config, begin=0):
    """Send deliveries, good and bad ones, with gaps; set the registers; read the counters back now and then.

    ``begin``: what counters have after a reset, which comes before each round then, in the place of a clear.
    """
    drawing = moods(random, 2, gap=(0.0, 0.3), wrong=(0.0, 0.0, 0.3), stall=(0, 0, 100, 255), reset=(0.0, 0.01))
    while True:
        mood, source, address = next(drawing), Source(random, config), random.getrandbits(config.dim)
        counts, clear = dict.fromkeys(COUNTERS, begin), _write(Checker.CONTROL, 1 << Command.CLEAR)
        yield {"rst": int(begin != 0), "address": address, "i__valid": 0} | clear
        if begin:
            yield {"rst": 0, "control__write": 0}
        yield _write(Checker.STALL, mood["stall"])
        # The generator of random numbers begins with one bit or with none, too.
        begins = own(config.dim, address) ^ random.choice((0, 1 << random.randrange(32)))
        outputs = yield _write(Checker.SEED, random.choice((begins, random.getrandbits(32))))
        rest, rst, taken = random.randint(1, random.choice((12, 12, 40))), 0, 0
        while (rest or source.words or taken or outputs["i__ready"] == 0) and not rst:
            if rest and not source.words:
                rest -= 1
                source.send(_delivery(random, config, address, chance(random, mood["wrong"]), counts))
            change = dict(
                zip(("i__valid", "i__data", "i__last", "i__error"), source.next(taken, mood["gap"]), strict=True)
            )
            change |= {"control__address": random.randrange(32), "control__write": 0}
            if chance(random, 0.01):
                change |= _write(Checker.STALL, random.choice((0, mood["stall"])))
            change["rst"] = rst = chance(random, mood["reset"])
            outputs = yield change
            taken = change["i__valid"] and outputs["i__ready"]
        if not rst:
            yield from _read_back(counts)


def _write(register, value):
    """Return the inputs that write a register."""
    return {"control__address": int(register), "control__write": 1, "control__write_data": int(value)}


def _delivery(random, config, address, wrong, counts):
    """Return the words of a delivery, and count what the checker must count."""
    origin = random.getrandbits(config.dim)
    length = random.choice((0, config.max_data, random.randint(0, config.max_data)))
    head = [sparse(random, config.dim)] if config.fault_tolerant else []
    has_source = config.source_field or not config.fault_tolerant
    head += [origin] if has_source else []
    payload = []
    if length:
        payload.append(first_word(config.dim, config.width, origin, random.choice((0, 1, random.getrandbits(32)))))
    while len(payload) < length:
        payload.append(follow(config.width, payload[-1]))
    error = 0
    if wrong and payload and chance(random, 0.8):
        place = random.randrange(length)
        payload[place] ^= 1 << _some_bit(random, config)
        strange = place == 0 and any(
            payload[0] >> bit & 1 != payload[0] >> bit % 32 & 1 for bit in range(32, config.width)
        )
        counts[Checker.PAYLOAD_ERRORS] += int(place > 0 or strange)
        if place == 0:
            # The words after it do not follow from it any more.
            counts[Checker.PAYLOAD_ERRORS] += length - 1
            if has_source and not strange and payload[0] % config.nodes != origin:
                counts[Checker.PAYLOAD_ERRORS] += 1
    elif wrong and has_source and chance(random, 0.5):
        head[-1] ^= 1 << _some_bit(random, config)
        counts[Checker.PAYLOAD_ERRORS] += int(length > 0)
    elif wrong:
        error = 1
    counts[Checker.DELIVERED] += 1
    counts[Checker.DELIVERED_WORDS] += length
    counts[Checker.ERRORS] += error
    counts[Checker.SIGNATURE] += mix(payload[0] % 2**32 if payload else 0, length, address)
    words = [*head, *payload]
    return [(word, int(i == len(words) - 1), int(i == len(words) - 1) * error) for i, word in enumerate(words)]


def _some_bit(random, config):
    """Return the number of a bit of a word: of the address in it, or any."""
    return random.randrange(random.choice((config.dim, config.width)))


def _read_back(counts):
    """Compare the counters with what was sent."""
    yield {"i__valid": 0, "control__write": 0}
    for register, count in counts.items():
        yield {"control__address": int(register)}
        outputs = yield {}
        value = outputs["control__read_data"]
        assert value == count % 2**32, f"{register.name}: {value}, not {count % 2**32}"
        if register in (Checker.PAYLOAD_ERRORS, Checker.ERRORS) and value:
            assert outputs["failed"], f"{register.name} = {count}, but not failed"


def watch(inputs, outputs, twin):
    """Name what is taken, what is wrong, and what waits."""
    if inputs["i__valid"]:
        yield "word taken" if outputs["i__ready"] else "word waits"
        if outputs["i__ready"] and inputs["i__last"]:
            yield "delivery with an error" if inputs["i__error"] else "delivery"
            if not twin.length:
                yield "empty delivery"
            elif twin.length == twin.config.max_data:
                yield "longest payload"
    if twin.strange:
        yield "strange source"
    if outputs["failed"]:
        yield "failed"
    if inputs["rst"] and twin.phase == Phase.HEAD and outputs["delivered"]:
        yield "reset"


def events(config, extra, options):
    """Return what can happen with these parameters."""
    happen = ["word taken", "word waits", "delivery", "delivery with an error", "empty delivery", "failed", "reset"]
    if config.width > config.dim and (config.source_field or not config.fault_tolerant):
        happen.append("strange source")
    if config.max_data:
        happen.append("longest payload")
    return tuple(happen)


BENCH = Bench(
    unit="multicast.traffic_checker:TrafficChecker",
    stimulus=stimulus,
    events=events,
    watch=watch,
)


class NearEnd(TrafficChecker):
    """The twin, its counters near the end of their range after a reset."""

    def reset(self):
        """Set all registers to their reset values."""
        super().reset()
        for counter in COUNTERS:
            self.registers[counter] = LEFT % (1 << DATA_BITS)


NEAR_END = dataclasses.replace(
    BENCH,
    twin="cubecast.tb.multicast.traffic_checker:NearEnd",
    presets={"delivered|delivered_words|delivered_signature|payload_errors|errors": LEFT},
)
"""The same with counters that come to the end of their range."""
