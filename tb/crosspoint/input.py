"""Testbench of an input: packets over a link into one queue or several, which is cut and repaired at any time."""

from cubecast.golden.crosspoint.contract.word import outputs_of
from cubecast.tb.common.patterns import chance, moods, recall, sparse
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]

MOST = 15
"""Waiting reports at which no further head comes: what is counted. A neighbour that heeds the flags causes fewer."""


class Sender:
    """What the far end of the link sends.

    Parameters
    ----------
    random : Random
        The run's only source of randomness.
    config : CrosspointConfig
        Parameters of the router.
    """

    def __init__(self, random, config):
        self.random, self.config = random, config
        self.left, self.push = 0, 0

    def next(self, mood, cut, calm):
        """Return the wires of the link; ``calm``: a head may come."""
        random, config, n = self.random, self.config, self.config.dim
        change = {"data": random.getrandbits(config.width), "r1": sparse(random, n), "error": 0, "head": 0, "last": 0}
        if config.carries_r2:
            change["r2"] = sparse(random, n)
        if config.multicast:
            change["kind"] = random.randrange(3)
        change["push"] = 0
        if cut:
            # What was under way is over; what comes now comes in vain.
            self.left = 0
        if not chance(random, mood["load"] if not self.left else 1 - mood["gap"]) or not (self.left or calm):
            return change
        if not self.left:
            self.left = random.choice((1, 1, 2, random.randint(1, config.packet_limit)))
            self.push = sparse(random, n + 1) or 1 << random.randrange(n + 1)
            change["head"] = 1
        self.left -= 1
        last = int(not self.left)
        return change | {"push": self.push, "last": last, "error": last and chance(random, 0.2)}


def stimulus(random, config):
    """Let packets come; cut the link in all moments."""
    router = config.router
    drawing = moods(
        random,
        60,
        load=(0.05, 0.5, 1.0),
        gap=(0.0, 0.3, 0.7),
        room=(0.5, 0.9, 1.0),
        cut=(0.0, 0.02, 0.1),
        repair=(0.05, 0.5),
        report=(0.02, 1.0, 1.0),
        reset=(0.0, 0.02),
    )
    while True:
        sender, rst, cut, waiting = Sender(random, router), 0, 0, 0
        while not rst:
            mood = next(drawing)
            cut = int(not chance(random, mood["repair"]) if cut else chance(random, mood["cut"]))
            rst, taken = chance(random, mood["reset"]), chance(random, mood["report"])
            begun, young = sender.left, chance(random, 0.5)
            wires = sender.next(mood, cut, waiting < MOST)
            outputs = yield {
                "rst": rst,
                "cut": cut,
                "young": young,
                "address": random.randrange(router.nodes),
                "room": sum(chance(random, mood["room"]) << k for k in range(router.ports)),
                "report__ready": taken,
                **{f"link__{name}": value for name, value in wires.items()},
            }
            waiting = waiting - taken if outputs["report__valid"] else 0
            waiting += bool(cut and (begun or (young and wires["head"])))


def watch(inputs, outputs, twin):
    """Name into how many queues words go, what a cut meets, and how the flags stand."""
    router, push, cut = twin.config.router, outputs["push"], inputs["cut"]
    cut = cut and router.fault_tolerant
    before = recall(twin, (twin.open, outputs["push"], inputs["link__last"])) or (0, 0, 0)
    if inputs["rst"]:
        if before[0]:
            yield "reset"
        return
    if push:
        count, most = push.bit_count(), twin.queues.bit_count()
        yield "all queues" if count == most else "one queue" if count == 1 else "several queues"
        if cut:
            yield "an error tail"
    if cut and before[0]:
        yield "cut right after a word" if before[1] else "cut in a gap"
    if cut and not before[0]:
        yield "cut between packets"
        if inputs["link__head"] and inputs["link__push"] & twin.queues and inputs["young"]:
            yield "a head in vain"
    if outputs["message_in"]:
        yield "a packet"
    if outputs["report__valid"]:
        yield "report taken" if inputs["report__ready"] else "report waits"
    if router.runs == 2 and outputs["ready_up"] and not outputs["ready"]:
        yield "open for the second run alone"
    yield "open" if outputs["ready"] else "closed"


def events(config, extra, options):
    """Return what can happen at such an input."""
    router = config.router
    happen = ["a packet", "open", "closed", "all queues"]
    happen += ["one queue"] * (len(outputs_of(router, config.port)) > 1)
    happen += ["reset"] * (router.packet_limit > 1)
    if router.fault_tolerant:
        happen += ["cut between packets", "a head in vain", "report taken", "report waits"]
        if router.packet_limit > 1:
            happen += ["an error tail", "cut right after a word", "cut in a gap"]
    if router.runs == 2 and config.port:
        happen.append("open for the second run alone")
    return tuple(happen)


BENCH = Bench(
    unit="crosspoint.input:Input",
    stimulus=stimulus,
    events=events,
    watch=watch,
    config="cubecast.golden.crosspoint.contract.units:Port",
)
