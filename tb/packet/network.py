"""Testbench of the packet network: all outputs of all routers and all links, and a scoreboard beside the twin."""

from functools import partial

from cubecast.golden.common.contract.control import Register
from cubecast.golden.packet.contract.packet import Head
from cubecast.golden.packet.contract.reason import PacketReason
from cubecast.tb.common.control_ports import accesses, check_counters, restart
from cubecast.tb.common.fault_events import FaultEvents
from cubecast.tb.common.patterns import chance, item, moods, pack
from cubecast.tb.harness.bench import Bench
from cubecast.tb.packet.injector import MALFORMED, Injector, make, useful
from cubecast.tb.packet.neighbour import expected_next
from cubecast.tb.packet.scoreboard import PacketScoreboard

__all__ = ["BENCH"]

GIVE_UP = {"parallel": 5000, "serial": 40_000}
"""Cycles after the last injection in which everything must be accounted for."""

QUIET = 80
"""Cycles without any word after which nothing is on its way."""

ROUNDS = ("none", "faults", "live")
"""Faults of a round: none; from the start, at one end of a link or both; changing all the time."""


def stimulus(random, config, messages=60, rounds=ROUNDS, reset=150, load=1.0, malformed=0.1, words=0):
    """Run rounds of random traffic: reset, fault vectors written, messages sent, drained, books checked.

    ``messages`` per round; ``rounds``: which faults each round has; ``reset``: cycles of one more round before, which
    a reset ends in the middle; ``load``: probability that a node that has little to send gets a message in a cycle;
    ``malformed``: share of packets that their source refuses; ``words``: most words of a packet, if not as many as fit.
    """
    settings = load, malformed, words or config.max_words
    if reset:
        yield from _round(random, config, "none", 10_000, *settings, cycles=reset)
    for faults in rounds:
        kind = faults if config.fault_tolerant else "none"
        yield from _round(random, config, kind, messages, *settings)


def _faults(random, config):
    """Return fault vectors: some links marked at both ends, some at one; sometimes a node that nobody can reach."""
    vectors = [0] * config.nodes
    vectors[random.randrange(config.nodes)] = sum(1 << j for j in random.sample(range(config.dim), 2))
    for node in range(config.nodes):
        for j in range(config.dim):
            if chance(random, 0.12):
                vectors[node] |= 1 << j
                if chance(random, 0.6):
                    vectors[node ^ 1 << j] |= 1 << j
    if chance(random, 0.5):
        dead = random.randrange(config.nodes)
        for j in range(config.dim):
            vectors[dead ^ 1 << j] |= 1 << j
    return vectors


def _message(random, config, node, injector, words, malformed):
    """Give a node's driver the packets of a message, or a malformed packet; return how many packets."""
    if chance(random, malformed):
        injector.send(make(random, config, node, random.choice(MALFORMED)))
        return
    if chance(random, 0.15):
        injector.send(_cut(make(random, config, node, random.choice(("broadcast", "broadcast", "some_slots"))), words))
        return
    first = make(random, config, node, "unicast")
    slot = injector.shortest(useful(config, node, first.destination))
    for _ in range(random.randint(1, 5)):
        data = tuple(random.getrandbits(config.width) for _ in range(random.randrange(words)))
        injector.send(first._replace(slots=slot, words=(first.destination, *data)))


def _cut(packet, words):
    """Return a packet with at most so many words."""
    return packet._replace(words=packet.words[:words])


def _round(random, config, kind, messages, load, malformed, words, cycles=None):
    """Run one round; with ``cycles``, stop after about so many in the middle of the traffic."""
    n, width, nodes = config.dim, config.width, range(config.nodes)
    board = PacketScoreboard(config, _faults(random, config) if kind == "faults" else (), live=kind == "live")
    faults = FaultEvents(random, config.dim) if kind == "live" else None
    if faults:
        faults.rate = random.choice((0.02, 0.05))
    injectors = [Injector(random, config) for _ in nodes]
    outputs = yield from restart(board.faults)
    drawing = moods(
        random,
        120,
        load=(0.02, 1.0),
        gap=(0.0, 0.3),
        polite=(0.0, 1.0),
        fickle=(0.0, 0.2),
        ready=(0.05, 0.7, 1.0),
    )
    quiet = cycle = waited = 0
    while quiet < QUIET and (cycles is None or cycle < cycles or not outputs["eject_valid"]):
        cycle += 1
        mood = next(drawing)
        offers = []
        for node, injector in enumerate(injectors):
            if messages and injector.waiting < 6 and chance(random, load * mood["load"]):
                _message(random, config, node, injector, words, malformed)
                messages -= 1
            offers.append(injector.next(item(outputs["inject_ready"], node, n), mood))
            for packet in injector.begun:
                board.inject(node, packet)
        valid, data, last, slots = zip(*offers, strict=True)
        eject_ready = pack((chance(random, mood["ready"]) for _ in nodes), 1)
        done = not messages and not any(injector.waiting for injector in injectors)
        change = faults.next if faults and not done else partial(dict.fromkeys, nodes if faults else (), 0)
        access = accesses(random, len(nodes), change)
        faults = None if done else faults
        outputs = yield {
            "inject_valid": pack(valid, 1),
            "inject_data": pack(data, width),
            "inject_last": pack(last, 1),
            "inject_slots": pack(slots, n),
            "eject_ready": eject_ready,
            **access,
        }
        _note(config, board, outputs, eject_ready)
        if config.link == "parallel":
            _check_heads(config, outputs)
        if done:
            waited += 1
            quiet = 0 if _moving(config, outputs) or not (board.live or board.settled) else quiet + 1
            assert waited < GIVE_UP[config.link], f"not settled so long after the last injection: {board.balance()}"
    if cycles is None:
        board.close()
        every = (1 << n * config.nodes) - 1
        assert outputs["inject_ready"] == every, f"slots are not ready: {outputs['inject_ready'] ^ every:x}"
        yield from _read_counters(config, board)


def _note(config, board, outputs, eject_ready):
    """Tell the scoreboard what came out in a cycle."""
    ejected, reporting = outputs["eject_valid"] & eject_ready, outputs["report_valid"]
    for node in range(config.nodes):
        if ejected >> node & 1:
            word = item(outputs["eject_data"], node, config.width)
            board.eject(node, word, outputs["eject_last"] >> node & 1, outputs["eject_error"] >> node & 1)
        if reporting >> node & 1:
            fields = [item(outputs[f"report_{name}"], node, 4) for name in ("reason", "port", "lane")]
            board.report(node, *fields, item(outputs["report_destination"], node, config.dim))


def _check_heads(config, outputs):
    """See that every head on a parallel link says what its hop and the next one are."""
    for j in range(config.dim):
        heads = outputs[f"link_{j}_head"]
        for node in range(config.nodes):
            if not heads >> node & 1:
                continue
            head = Head.decode(config, item(outputs[f"link_{j}_data"], node, config.head_bits))
            differs, onward = node ^ head.destination, node ^ 1 << j
            # A broadcast crosses the dimensions in ascending order, a unicast only those in which addresses differ.
            contrary = differs >> j & 1 and differs & (1 << j) - 1 != 0
            fields = int(contrary), expected_next(config, onward, j, head.destination)
            assert (head.contrary, head.next_port) == fields, f"node {node}, link {j}: {head}, not {fields}"


def _moving(config, outputs):
    """Return whether a word is on a link, or at the port of a node."""
    name = "line" if config.link == "serial" else "valid"
    return outputs["eject_valid"] or any(outputs[f"link_{j}_{name}"] for j in range(config.dim))


def _read_counters(config, board):
    """Compare the routers' own counters with what the scoreboard says."""
    nodes = range(config.nodes)
    wanted = {}
    for port in [config.local] if board.live else range(config.ports):
        wanted[Register.MESSAGES_IN + port] = {node: board.taken[node, port] for node in nodes}
        wanted[Register.MESSAGES_OUT + port] = {node: board.sent[node, port] for node in nodes}
    for reason in PacketReason:
        wanted[Register.REPORTS + reason] = {node: board.reported[node, reason] for node in nodes}
    yield from check_counters(config, wanted)


def watch(inputs, outputs, twin):
    """Name how busy the network is, what stalls, and what is reported."""
    config = twin.config
    nodes, dims = config.nodes, range(config.dim)
    every = (1 << nodes) - 1
    if outputs["inject_ready"] != (1 << config.dim * nodes) - 1:
        yield "a slot is not ready"
    ejecting = outputs["eject_valid"]
    if ejecting:
        yield "ejection stalls" if ejecting & ~inputs["eject_ready"] else "ejection"
        if ejecting & outputs["eject_error"]:
            yield "early end"
        if ejecting & ejecting - 1:
            yield "several deliveries at once"
    serial = config.link == "serial"
    busy = sum(outputs[f"link_{j}_line" if serial else f"link_{j}_valid"].bit_count() for j in dims)
    if inputs["rst"] and (busy or ejecting):
        yield "reset in the middle"
    if busy > nodes * config.dim // (6 if serial else 3):
        yield "many links busy"
    for j in dims:
        if serial:
            if outputs[f"link_{j}_hold"]:
                yield "hold"
            continue
        if outputs[f"link_{j}_ready"] != every:
            yield "a link is not ready"
        if outputs[f"link_{j}_refusing"]:
            yield "refusing"
        for node in range(nodes):
            if outputs[f"link_{j}_head"] >> node & 1:
                contrary = outputs[f"link_{j}_data"] >> config.head_bits * (node + 1) - 1 & 1
                yield "contrary head" if contrary else "head"
    if outputs["multiple_faults"]:
        yield "multiple faults"
    for node in range(nodes):
        if outputs["report_valid"] >> node & 1:
            yield PacketReason(item(outputs["report_reason"], node, 4)).name
        if outputs["control_read_data"] >> 32 * node + 31 & 1:
            yield "log entry read"


def events(config, extra, options):
    """Return what can happen with these parameters and rounds."""
    rounds = options.get("rounds", ROUNDS) if config.fault_tolerant else ()
    happen = ["ejection", "ejection stalls", "several deliveries at once", "a slot is not ready"]
    if options.get("load", 1.0) == 1.0 and config.rows > 1:
        happen.append("many links busy")
    if options.get("reset", 150):
        happen.append("reset in the middle")
    if config.link == "serial":
        happen.append("hold")
    else:
        happen += ["head", "a link is not ready"]
        if config.routing == "quasi-adaptive":
            happen.append("contrary head")
        if config.contrary and config.rows < 3:
            happen.append("refusing")
    if options.get("malformed", 0.1):
        happen += ["BAD_SLOT", "ADDRESS_BITS", "DATA_TOO_LONG", *["log entry read"] * bool(config.log_depth)]
    if "faults" in rounds:
        happen += ["UNDELIVERABLE", "multiple faults"]
    # Short packets are rarely in the middle of a link when it is cut.
    if "live" in rounds and (config.link == "serial" or options.get("words", config.max_words) > 8):
        happen += ["INPUT_CUT", "PACKET_CUT", "TRUNCATED", "early end"]
    return tuple(happen)


BENCH = Bench(
    unit="packet.network:PacketNetwork",
    stimulus=stimulus,
    events=events,
    watch=watch,
    extra={"probe": True},
)
