"""Testbench of the buffer pool: buffers taken, put back, lent and released, and releases of what is not lent."""

from cubecast.tb.common.patterns import chance, moods
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


def address_of(random, config, base, lent, used):
    """Return an address to release: of a buffer that is lent, but for a bit of one, of another buffer, or of none."""
    size, kind = config.buffer_bytes, random.randrange(8)
    if kind < 5 and lent:
        return base + random.choice(sorted(lent)) * size & 0xFFFFFFFF
    if kind == 5 and used:
        return base + random.choice(sorted(used)) * size & 0xFFFFFFFF
    if kind == 6 and lent:
        return (base + random.choice(sorted(lent)) * size & 0xFFFFFFFF) ^ 1 << random.randrange(32)
    number = random.choice((config.buffers, config.buffers - 1, 1 << config.buffer_bits, random.randrange(300)))
    return base + number * size + random.choice((0, 0, 1, 4, size - 1)) & 0xFFFFFFFF


def stimulus(random, config):
    """Move buffers through all of their states; those in use and lent are known from the outputs."""
    drawing = moods(
        random, 80, take=(0.0, 0.4, 1.0), put=(0.0, 0.4, 1.0), lend=(0.0, 0.5), release=(0.1, 1.0), reset=(0.0, 0.008)
    )
    while True:
        rst, used, lent, asked, releasing, address = 0, set(), set(), False, 0, 0
        enable = chance(random, 0.3)
        base = random.choice((0, 0x1000, 0xFFFFFFE0, random.getrandbits(32)))
        while not rst:
            mood = next(drawing)
            rst = chance(random, mood["reset"])
            enable = enable or chance(random, 0.1)
            moved = {}
            for name in ("put", "lend"):
                if used - set(moved.values()) and chance(random, mood[name]):
                    moved[name] = random.choice(sorted(used - set(moved.values())))
            take, valid = chance(random, mood["take"]), chance(random, mood["release"])
            if not valid or not asked:
                address = address_of(random, config, base, lent, used)
            outputs = yield {
                "rst": rst,
                "enable": enable,
                "base": base,
                "take": take,
                "put": int("put" in moved),
                "put_number": moved.get("put", random.getrandbits(config.buffer_bits)),
                "lend": int("lend" in moved),
                "lend_number": moved.get("lend", random.getrandbits(config.buffer_bits)),
                "release__valid": valid,
                "release__address": address,
            }
            used -= set(moved.values())
            lent |= {moved["lend"]} if "lend" in moved else set()
            if take and outputs["free"]:
                used.add(outputs["number"])
            asked = valid and not outputs["release__ready"]
            if valid and outputs["release__ready"]:
                releasing = address
            if outputs["released"] and outputs["accepted"]:
                lent.remove((releasing - base & 0xFFFFFFFF) // config.buffer_bytes)


def watch(inputs, outputs, twin):
    """Name where buffers go, and how releases end."""
    if inputs["rst"]:
        if outputs["free"] < twin.config.buffers:
            yield "reset"
        return
    if not inputs["enable"]:
        yield "waits for enable" if inputs["release__valid"] else "not enabled"
        return
    if inputs["take"]:
        yield "taken" if outputs["free"] else "none left"
    if inputs["take"] and outputs["free"] and inputs["put"]:
        yield "taken while one comes"
    if inputs["lend"]:
        yield "lent"
    if outputs["released"]:
        yield "accepted" if outputs["accepted"] else "refused"
    elif inputs["put"] and not outputs["release__ready"] and twin.state == "CHECK":
        yield "a release waits"
    if outputs["accepted"] and inputs["take"]:
        yield "accepted while one is taken"


def events(config, extra, options):
    """Return what can happen with so many buffers."""
    if not config.buffers:
        return ("none left", "refused", "waits for enable", "not enabled")
    found = ("reset", "waits for enable", "not enabled", "taken", "none left", "lent", "accepted", "refused")
    found += ("a release waits", "accepted while one is taken")
    return (*found, "taken while one comes") if config.buffers > 1 else found


BENCH = Bench(
    unit="node.buffer_pool:BufferPool",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
