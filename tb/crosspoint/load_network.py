"""Testbench of the load network: overload of every kind, until all that was sent has come, whole."""

from cubecast.golden.common.contract.units import ADDRESS_BITS
from cubecast.golden.common.twins.ports import bits
from cubecast.golden.crosspoint.contract.load import RATE_ONE, settings
from cubecast.tb.common.patterns import pack
from cubecast.tb.crosspoint.load_node import noise, traffic
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]

QUIET = 4
"""Cycles of reset, in which settings are any."""


def stimulus(random, config, rounds=3, cycles=150):
    """Run rounds with settings of their own, each to its end."""
    everyone = (1 << config.nodes) - 1
    for _ in range(rounds):
        for _ in range(QUIET):
            yield {"rst": 1, "load": 0, "enable": 0} | noise(random, config, config.nodes)
        nodes = [_short(random, config) for _ in range(config.nodes)]
        found = {name: pack([node[name] for node in nodes], width) for name, width in settings(config).items()}
        yield {"rst": 0, "load": everyone} | found
        cycle = quiet = 0
        while quiet < 60:
            addresses = pack([random.getrandbits(ADDRESS_BITS) for _ in range(config.nodes)], ADDRESS_BITS)
            outputs = yield {"load": 0, "enable": everyone * (cycle < cycles), "control_address": addresses}
            moves = outputs["sent_valid"] or outputs["came_valid"] or outputs["idle"] != everyone or cycle < cycles
            quiet = 0 if moves else quiet + 1
            cycle += 1
            assert not outputs["report_valid"], "a packet is refused or lost"
            assert not outputs["came_done"] & outputs["came_bad"], "a packet is not whole"


def _short(random, config):
    """Return settings of a node whose messages are short."""
    found = traffic(random, config)
    rate = random.choice((RATE_ONE // 50, RATE_ONE // 3, RATE_ONE)) // found["members"]
    short = {"length": random.choice((1, 2, config.packet_limit + 1)), "spread": random.randint(1, 3), "rate": rate}
    return found | short | {"other_share": found["other_share"] // 8}


def watch(inputs, outputs, twin):
    """Name what happens anywhere."""
    if inputs["rst"]:
        return
    for node in bits(outputs["sent_head"]):
        yield ("UNICAST", "SUBCUBE", "BITMAP")[outputs["sent_kind"] >> 2 * node & 3]
    if outputs["came_done"]:
        yield "came"
    if outputs["control_read_data"]:
        yield "register read"
    for j in range(twin.config.dim):
        if outputs[f"link_{j}_ready"] != (1 << twin.config.nodes) - 1:
            yield f"link {j} closed"


def events(config, extra, options):
    """Return what must happen with these parameters."""
    happen = ["UNICAST", "came", "register read", *(f"link {j} closed" for j in range(config.dim))]
    return (*happen, *["SUBCUBE", "BITMAP"] * config.multicast)


BENCH = Bench(
    unit="crosspoint.load_network:LoadNetwork",
    stimulus=stimulus,
    events=events,
    watch=watch,
    extra={"probe": True},
)
