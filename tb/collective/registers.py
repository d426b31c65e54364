"""Testbench of the registers: everything written and read, while the unit is busy and while it is not."""

import functools

from cubecast.golden.collective.contract.registers import addresses, entries
from cubecast.tb.collective.bundled import by_bundles, without_bundles
from cubecast.tb.common.patterns import chance, moods, sparse
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


@functools.cache
def named(config):
    """Return address to name of all registers."""
    return {address: name for name, address in addresses(config).items()}


@by_bundles("command", "awaited", "own", "relay")
def stimulus(random, config):
    """Write and read at any address; the unit is busy for a cycle or for long, and says anything of itself."""
    places = tuple(named(config))
    drawing = moods(
        random,
        40,
        write=(0.0, 0.3, 1.0),
        command=(0.0, 0.3),
        work=(0.0, 0.02, 0.5),
        rest=(0.03, 0.5),
        change=(0.1, 1.0),
        finish=(0.1, 1.0),
        reset=(0.0, 0.0, 0.0, 0.003),
    )
    busy, state = 0, {}
    for mood in drawing:
        busy = chance(random, 1 - mood["rest"] if busy else mood["work"])
        address = random.choice((random.choice(places), random.choice(places), random.randrange(64)))
        data = random.choice((random.getrandbits(32), sparse(random, 32), random.getrandbits(5)))
        if chance(random, mood["command"]):
            address, data = 0, data & ~3 | random.randrange(4)
        if not state or chance(random, mood["change"]):
            state = {
                "state": random.randrange(10),
                "entry": random.getrandbits(5),
                "failed": random.getrandbits(1),
                "received": sparse(random, 16),
                "sent_stage": random.getrandbits(4),
                "sent_hops": random.getrandbits(8),
            }
            if config.counters:
                state["strange"] = sparse(random, config.strange_bits)
        yield state | {
            "rst": chance(random, mood["reset"]),
            "busy": busy,
            "finished": chance(random, mood["finish"]),
            "control__address": address,
            "control__write": chance(random, mood["write"]),
            "control__write_data": data,
        }


@without_bundles
def watch(inputs, outputs, twin):
    """Name what is written and read, and the commands."""
    config, names, layout = twin.config, named(twin.config), entries(twin.config)
    address, data, busy = inputs["control__address"], inputs["control__write_data"], inputs["busy"]
    name = names.get(address)
    before = vars(twin).get("noted") or (None, 0, 0)
    if before[2] > twin.finished and not inputs["rst"]:
        yield "operations wrap"
    if before[0] and outputs["control__read_data"]:
        yield f"{before[0]} is read"
        if before[0] == "CLOCKS" and outputs["control__read_data"] > 2:
            yield "cycles are counted"
    if before[0] is None and before[1]:
        yield "nothing is read"
    twin.noted = (name, name is None, twin.finished if not inputs["rst"] else 0)
    if inputs["rst"]:
        if outputs["expected"]:
            yield "reset"
        return
    if not inputs["control__write"]:
        return
    yield f"{name} is written{' while busy' if busy else ''}" if name else "nothing is written"
    if name == "COMMAND":
        command = layout["COMMAND"].unpack(data)
        bits = ("neither", "start", "abort", "both")[command["start"] + 2 * command["abort"]]
        yield f"{bits}{', busy' if busy else ''}"
        if outputs["start"]:
            yield "starts"
        if outputs["cut_short"]:
            yield "cuts short"
    if name == "SENDS" and not busy:
        yield "more sends than dimensions" if layout["SENDS"].unpack(data)["count"] > config.dim else "sends as written"
    if name == "RELAYS" and not busy:
        yield (
            "more relays than entries"
            if layout["RELAYS"].unpack(data)["count"] > config.max_relays
            else "relays as written"
        )


def events(config, extra, options):
    """Return what can happen with so many registers."""
    happen = ["reset", "nothing is read", "nothing is written", "starts", "cuts short"]
    happen += ["cycles are counted"] * bool(config.counters) + ["operations wrap"] * (config.counters == 8)
    happen += ["more sends than dimensions", "sends as written", "more relays than entries", "relays as written"]
    for name in named(config).values():
        happen += [f"{name} is written", f"{name} is written while busy"]
        if name != "RELAYS" or config.max_relays:
            happen.append(f"{name} is read")
    for bits in ("neither", "start", "abort", "both"):
        happen += [bits, f"{bits}, busy"]
    return tuple(happen)


BENCH = Bench(
    unit="collective.registers:CollectiveRegisters",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
