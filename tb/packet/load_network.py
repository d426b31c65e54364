"""Testbench of the load network: traffic of several kinds, until all has arrived, node by node in view."""

from cubecast.golden.common.contract.control import Register
from cubecast.tb.common.patterns import recall
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]

QUIET = 4
"""Cycles of reset, in which settings are any."""

SETTINGS = {"seed": 32, "rate": 16, "burst": 8, "packets": 8, "words": 6}
"""Name of a setting to its bits."""


def stimulus(random, config, rounds=3, cycles=300):
    """Run so many rounds of so many cycles, each with settings of its own; then every message has to have arrived.

    The counters of another node, and another register of its control port, are read in every cycle.
    """
    word = config.width + 2 if config.link == "serial" else 1
    # Cycles in which a node takes all that its neighbours can have for it, and more.
    last = 2 * config.rows * config.dim * (config.max_words + 4) * word
    for turn in range(rounds):
        packets = (1, 2, 5)[turn % 3]
        settings = {
            "seed": random.getrandbits(32),
            "rate": random.choice((2000, 65535)) if turn else 65535,
            "burst": 1 + turn % 2,
            "packets": packets,
            "words": random.randint(3, config.max_words),
        }
        for _ in range(QUIET):
            noise = {name: random.getrandbits(bits) for name, bits in SETTINGS.items()}
            yield {"rst": 1, "enable": 0, "measure": 0} | noise
        yield settings
        yield {"rst": 0}
        for cycle in range(cycles * word):
            yield _view(random, config) | {"enable": 1, "measure": int(cycle >= cycles // 4)}
        quiet, idle = 0, 0
        while not idle or quiet < last:
            outputs = yield _view(random, config) | {"enable": 0, "measure": 1}
            idle = outputs["idle"]
            quiet = quiet + 1 if idle else 0
        total = dict.fromkeys(("first_count", "message_count", "accepted"), 0)
        for node in range(config.nodes):
            outputs = yield {"choose": node}
            total = {name: value + outputs[name] for name, value in total.items()}
        assert 0 < total["first_count"] == total["message_count"], total
        assert total["accepted"] >= total["message_count"] * packets * (settings["words"] + 1), total


def _view(random, config):
    """Return another node and another register to read."""
    register = random.choice((Register.WORDS_OUT + random.randrange(config.ports), random.randrange(128)))
    return {"choose": random.randrange(config.nodes), "control_address": int(register)}


def watch(inputs, outputs, twin):
    """Name what is counted, and what the network does."""
    before = recall(twin, (inputs["choose"], outputs))
    if inputs["rst"]:
        return
    for name in ("lost", "collisions", "message_count"):
        if outputs[name]:
            yield name
    if outputs["control_read_data"]:
        yield "register read"
    if outputs["idle"]:
        yield "idle"
    if before and before[0] != inputs["choose"] and before[1]["accepted"] != outputs["accepted"]:
        yield "nodes differ"
    if any(refusing for router in twin.network.routers for _, refusing in router.flags):
        yield "refusing"
    if not all(ready for router in twin.network.routers for ready, _ in router.flags):
        yield "a link is not ready"


def events(config, extra, options):
    """Return what must happen with these parameters."""
    happen = ["lost", "collisions", "message_count", "register read", "idle", "nodes differ"]
    if config.rows <= 4:
        happen.append("a link is not ready")
    if config.routing == "quasi-adaptive" and config.rows <= 4:
        happen.append("refusing")
    return tuple(happen)


BENCH = Bench(
    unit="packet.load_network:LoadNetwork",
    stimulus=stimulus,
    events=events,
    watch=watch,
    extra={"queue": 4},
)
