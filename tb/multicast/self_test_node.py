"""Testbench of the self-test node: its own traffic, and that of neighbours who send what a generator would."""

from cubecast.golden.common.contract.control import Register
from cubecast.golden.common.twins.traffic_pattern import first_word, follow
from cubecast.golden.multicast.contract.message import encode
from cubecast.golden.multicast.contract.self_test import CHECKER, Checker, Command, Generator
from cubecast.tb.common.load_node import access
from cubecast.tb.common.patterns import chance, moods, sparse
from cubecast.tb.harness.bench import Bench
from cubecast.tb.multicast.traffic import Drain, Link
from cubecast.tb.multicast.traffic_generator import settings

__all__ = ["BENCH", "arrival"]


def stimulus(random, config):
    """Set the registers of generator and checker, start, and send messages into every link, some of them wrong."""
    n, dimensions = config.dim, range(config.dim)
    drawing = moods(
        random,
        150,
        gap=(0.0, 0.3),
        start=(0.0, 0.5, 0.9),
        again=(0.02, 0.3, 1.0),
        wrong=(0.0, 0.0, 0.2),
        reset=(0.0, 0.0, 0.003),
    )
    while True:
        links, drains = [Link(random, config) for _ in dimensions], [Drain(random, config.lanes) for _ in dimensions]
        address, rst = random.getrandbits(n), 0
        writes = [(int(register), value) for register, value in settings(random, config).items()]
        writes += [(CHECKER | Checker.SEED, 5), (CHECKER | Checker.STALL, random.choice((0, 60, 200)))]
        random.shuffle(writes)
        change = {"rst": 0, "start": 0, "address": address}
        outputs = dict.fromkeys([f"link_in__{j}__ready" for j in dimensions], 0)
        outputs |= {f"link_out__{j}__{name}": 0 for j in dimensions for name in ("valid", "last", "lane")}
        while not rst:
            mood = next(drawing)
            for j in dimensions:
                if not links[j].words:
                    links[j].send(arrival(random, config, address, chance(random, mood["wrong"])))
                offer = links[j].next(outputs[f"link_in__{j}__ready"], mood["gap"], mood["start"])
                names = ("valid", "data", "last", "error", "lane")
                change |= {f"link_in__{j}__{name}": value for name, value in zip(names, offer, strict=True)}
                came = [outputs[f"link_out__{j}__{name}"] for name in ("valid", "last", "lane")]
                change[f"link_out__{j}__ready"] = drains[j].next(*came, mood["again"])
            change |= access(random, n)
            if writes:
                register, value = writes.pop()
                change |= {"test__address": int(register), "test__write": 1, "test__write_data": value}
                change["start"] = int(not writes)
            else:
                change |= {"test__address": random.randrange(64), "test__write": 0, "start": 0}
                if chance(random, 0.005):
                    control = random.choice((Generator.CONTROL, CHECKER | Checker.CONTROL))
                    command = 1 << random.choice((Command.START, Command.CLEAR))
                    change |= {"test__address": int(control), "test__write": 1, "test__write_data": command}
            change["rst"] = rst = chance(random, mood["reset"])
            outputs = yield change
            change = {}


def arrival(random, config, address, wrong, first=None):
    """Return the words of a message that comes in over a link, to this node and others.

    ``first``: payload word 0; default: what a generator anywhere may have there.
    """
    origin, most = random.getrandbits(config.dim), config.max_data
    others = random.choices(range(config.nodes), k=random.randrange(config.max_dest))
    destinations = random.choice(([address], [address, *others], [*others, random.getrandbits(config.dim)], None))
    # A generator counts to 2^32, if it is let.
    sequence = random.getrandbits(random.choice((8, 32)))
    payload = [first_word(config.dim, config.width, origin, sequence) if first is None else first]
    while len(payload) < random.randint(1, max(1, most)):
        payload.append(follow(config.width, payload[-1]))
    if wrong:
        payload[random.randrange(len(payload))] ^= 1
    head = encode(config, origin, destinations)
    if destinations is None and config.fault_tolerant:
        head[1] = sparse(random, config.dim)
    words = [*head, *payload[:most]]
    return [(word, int(i == len(words) - 1), 0) for i, word in enumerate(words)]


def watch(inputs, outputs, twin):
    """Name what the node sends and gets."""
    generator, checker = twin.traffic.generator, twin.traffic.checker
    if not outputs["idle"]:
        yield "generator at work"
    if any(outputs[f"link_out__{j}__valid"] for j in range(twin.config.dim)):
        yield "words go out"
    if checker.registers[Checker.DELIVERED] > 3:
        yield "deliveries"
    if generator.registers[Generator.MESSAGES] > 3:
        yield "messages"
    if outputs["failed"]:
        yield "failed"
    if outputs["missing"] and outputs["difference"]:
        yield "sums differ"
    if inputs["control__write"] and inputs["control__address"] == Register.FAULT:
        yield "faults written"
    if inputs["test__address"] & CHECKER and outputs["test__read_data"]:
        yield "register read"
    if inputs["rst"] and not outputs["idle"]:
        yield "reset"


BENCH = Bench(
    unit="multicast.self_test_node:SelfTestNode",
    stimulus=stimulus,
    events=(
        "generator at work",
        "words go out",
        "deliveries",
        "messages",
        "failed",
        "sums differ",
        "register read",
        "faults written",
        "reset",
    ),
    watch=watch,
)
