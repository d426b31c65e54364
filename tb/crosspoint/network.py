"""Testbench of the crosspoint network: packets of every kind, nodes that stall and pause, faults that come and go."""

from collections import Counter
from functools import partial

from cubecast.golden.common.contract.units import REASON_BITS
from cubecast.golden.common.twins.ports import bits
from cubecast.golden.crosspoint.contract.word import KIND_BITS, CrosspointReason, Kind
from cubecast.tb.common.patterns import chance, item, moods, pack, recall
from cubecast.tb.crosspoint.packets import destinations, packet, reasons
from cubecast.tb.crosspoint.rounds import Faults, until_rest
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH", "Nodes"]

ROUNDS = ("whole", "hostile", "live", "live")
"""What a run does: legal packets alone, illegal ones and pauses too, and links that fail and come back too."""

FIELDS = ("data", "last", "error", "r1", "r2", "kind")


class Nodes:
    """What all nodes of a network send and take.

    Parameters
    ----------
    random : Random
        The run's only source of randomness.
    config : CrosspointConfig
        Parameters of the network.
    whole : bool
        Everything sent must come.
    """

    def __init__(self, random, config, whole):
        self.random, self.config, self.whole = random, config, whole
        n = config.dim
        self.widths = dict(zip(FIELDS, (config.width, 1, 1, n, n, KIND_BITS), strict=True))
        self.words = [[] for _ in range(config.nodes)]
        self.begun = [False] * config.nodes
        self.valid = 0
        self.open = [[] for _ in range(config.nodes)]
        self.sent, self.came, self.number = Counter(), Counter(), 0

    def offer(self, mood, more):
        """Return what the nodes drive; ``more``: new packets may begin."""
        random, config = self.random, self.config
        for node, words in enumerate(self.words):
            if not words and more:
                self.number += 1
                self.words[node] = packet(random, config, self.number, mood["illegal"], mood["long"])
                self.begun[node] = False
            waits = chance(random, 1 - mood["gap"] if self.begun[node] else mood["load"])
            if self.words[node] and waits:
                self.valid |= 1 << node
        change = {"inject_valid": self.valid}
        for name, width in self.widths.items():
            shown = (words[0][name] if words else 0 for words in self.words)
            change[f"inject_{name}"] = pack(shown, width)
        change["eject_ready"] = sum(chance(random, mood["eject"]) << node for node in range(config.nodes))
        return change

    def see(self, change, outputs):
        """Take note of what has moved; return the mask of the nodes to which a word has come."""
        for node in bits(self.valid & outputs["inject_ready"]):
            word = self.words[node].pop(0)
            self.valid ^= 1 << node
            if not self.begun[node] and self.whole:
                data = (word["data"], *(each["data"] for each in self.words[node]))[word["kind"] == Kind.BITMAP :]
                self.sent.update((there, data) for there in destinations(self.config, node, word))
            self.begun[node] = bool(self.words[node])
        for node in bits(outputs["eject_valid"] & change["eject_ready"]):
            if not self.open[node]:
                self.open[node].append(item(outputs["eject_kind"], node, KIND_BITS) == Kind.BITMAP)
            self.open[node].append(item(outputs["eject_data"], node, self.config.width))
            if outputs["eject_last"] >> node & 1:
                bitmap, *data = self.open[node]
                self.open[node] = []
                if not outputs["eject_error"] >> node & 1:
                    self.came[node, tuple(data[bitmap:])] += 1
        return outputs["eject_valid"]


def stimulus(random, config, rounds=ROUNDS, cycles=600):
    """Run the rounds, each to its end: nothing is on any link any more.

    Parameters
    ----------
    random : Random
        Draws everything.
    config : CrosspointConfig
        Parameters of the network.
    rounds : sequence of str
        Of :data:`ROUNDS`.
    cycles : int
        For how long a round begins packets.
    """
    for number, kind in enumerate(rounds):
        if kind == "live" and not config.fault_tolerant:
            continue
        yield from _round(random, config, kind, cycles)
        if number == 1:
            # In the middle of the traffic.
            yield from _round(random, config, kind, cycles // 4, drain=False)
            yield {"rst": 1, "inject_valid": 0, "control_write": 0}
            yield {"rst": 0}


def _round(random, config, kind, cycles, drain=True):
    """Let the nodes send for so many cycles, then until nothing moves."""
    nodes, everyone = Nodes(random, config, kind == "whole"), (1 << config.nodes) - 1
    hostile = (0.0, 0.3, 0.6) if kind != "whole" else (0.0,)
    drawing = moods(
        random,
        80,
        load=(0.02, 0.3, 1.0),
        gap=(0.0, 0.0, 0.5, 0.95) if kind != "whole" else (0.0,),
        illegal=hostile,
        long=hostile,
        eject=(0.0, 0.3, 1.0, 1.0),
        fault=(0.0, 0.02) if kind == "live" else (0.0,),
    )
    calm = dict.fromkeys(("gap", "illegal", "long", "fault"), 0.0) | {"load": 1.0, "eject": 1.0}
    patience = 20 + config.pause_limit + 8 * (1 + config.forward + config.backward)
    access = partial(Faults(random, config).access, log=0.05)
    yield from until_rest(config, nodes, access, drawing, calm, cycles, patience, drain)
    if drain:
        yield {"inject_valid": 0, "control_write": 0, "eject_ready": everyone}
    if drain and kind == "whole":
        assert nodes.came == nodes.sent, f"{nodes.came - nodes.sent} too many, {nodes.sent - nodes.came} missing"


def watch(inputs, outputs, twin):
    """Name the links in use, what nodes get, and why packets are lost."""
    config = twin.config
    busy = recall(twin, not twin.quiet())
    if inputs["rst"]:
        if busy:
            yield "reset"
        return
    for j in range(config.dim):
        if outputs[f"link_{j}_push"]:
            yield f"link {j}"
        for name in ("ready", "ready_up") if config.runs == 2 else ("ready",):
            if outputs[f"link_{j}_{name}"] != (1 << config.nodes) - 1:
                yield f"link {j} closed ({name})"
    if outputs["eject_valid"] & ~inputs["eject_ready"]:
        yield "ejection stalls"
    if outputs["eject_valid"] & outputs["eject_last"] & outputs["eject_error"]:
        yield "packet with error"
    for node in bits(outputs["report_valid"]):
        yield CrosspointReason(item(outputs["report_reason"], node, REASON_BITS)).name
    if outputs["control_read_data"]:
        yield "register read"
    if outputs["multiple_faults"]:
        yield "multiple faults"


def events(config, extra, options):
    """Return what can happen in such a network."""
    happen = ["reset", "ejection stalls", "packet with error", "register read", "DATA_TOO_LONG"]
    happen += [reason.name for reason in reasons(config)]
    happen += ["PAUSED"] * bool(config.pause_limit and config.packet_limit > 1)
    for j in range(config.dim):
        happen += [f"link {j}", f"link {j} closed (ready)"]
        happen += [f"link {j} closed (ready_up)"] * (config.runs == 2)
    if config.fault_tolerant:
        happen += ["UNDELIVERABLE", "multiple faults"]
        happen += ["INPUT_CUT"] * (config.packet_limit > 1 or config.forward > 0)
        happen += ["PACKET_CUT"] * (config.packet_limit > 1)
    return tuple(happen)


BENCH = Bench(
    unit="crosspoint.network:CrosspointNetwork",
    stimulus=stimulus,
    events=events,
    watch=watch,
    extra={"probe": True},
)
