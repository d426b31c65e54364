"""Testbench of the node: a router and its collectives, with peers behind every link and a host that sends too."""

from cubecast.golden.collective.contract.registers import entries
from cubecast.golden.collective.contract.states import State
from cubecast.golden.multicast.contract.message import encode
from cubecast.tb.collective.messages import Sent, ended
from cubecast.tb.collective.peer import Peer
from cubecast.tb.collective.unit import WORD, Host
from cubecast.tb.common.patterns import chance, moods
from cubecast.tb.harness.bench import Bench
from cubecast.tb.multicast.traffic import Drain, Link, Source, message, well_formed

__all__ = ["BENCH"]

DRAWING = {
    "gap": (0.0, 0.2),
    "start": (0.0, 0.5),
    "again": (0.1, 1.0),
    "take": (0.2, 1.0),
    "give": (0.5, 1.0),
    "alien": (0.0, 0.0, 0.1),
    "fault": (0.0, 0.0, 0.01),
}

DISTURBING = {"cut": (0.0, 0.0, 0.005), "pass": (0.0, 0.0, 0.1), "reset": (0.0, 0.001, 0.005)}


def stimulus(random, config, *, slow=1):
    """Run some rings, or after a reset merges, with peers behind the links; at times the local port is the host's.

    ``slow`` is that of :class:`Host`; disturbances of the node are rarer, too.
    """
    disturbing = {name: tuple(each / slow for each in values) for name, values in DISTURBING.items()}
    drawing, n, ring = moods(random, 150, **DRAWING, **disturbing), config.dim, 0
    while True:
        address, ring, rst = random.getrandbits(n), 1 - ring, 0
        host = Host(random, config, "collective", enabled=0.8, slow=slow)
        peer = Peer(random, config, address)
        links = [Link(random, config.router) for _ in range(n)]
        drains = [Drain(random, config.router.lanes) for _ in range(n)]
        sent = [Sent(config) for _ in range(n)]
        source, moved = Source(random, config.router), 0
        outputs, change, readies = {"busy": 0}, {"rst": 0, "address": address}, [0] * n
        operations = random.randint(2, 6)
        while not rst:
            mood = next(drawing)
            ends = host.free and not operations
            if host.free and operations:
                operations -= 1
                peer.begin(host.begin(ring))
                # Until the tables have arrived, what peers send may still go to the host.
                later = (slow - 1) * len(host.writes)
            change |= host.next(mood, outputs["busy"])
            if later:
                later -= 1
            else:
                _feed(random, config, address, links, peer, mood)
            for j, (link, drain) in enumerate(zip(links, drains, strict=True)):
                offer = link.next(readies[j], mood["gap"], mood["start"])
                change |= {f"link_in__{j}__{name}": value for name, value in zip((*WORD, "lane"), offer, strict=True)}
                came = [outputs.get(f"link_out__{j}__{name}") or 0 for name in ("valid", "last", "lane")]
                change[f"link_out__{j}__ready"] = drain.next(*came, mood["again"])
            if not source.words:
                source.send(message(random, config.router, random.choice(well_formed(config.router)), address).words)
            offer = source.next(moved, mood["gap"], mood["start"])
            change |= {f"inject__{name}": value for name, value in zip(WORD, offer, strict=True)}
            change |= {"eject__ready": chance(random, mood["take"]), "vector_out__ready": chance(random, mood["take"])}
            change |= {"custom_result": random.getrandbits(config.width), "control__address": random.randrange(128)}
            change |= {"control__write": chance(random, mood["fault"]), "control__write_data": 0}
            change["rst"] = rst = int(ends or chance(random, mood["reset"]))
            outputs = yield change
            moved = change["inject__valid"] and outputs["inject__ready"]
            readies = [outputs[f"link_in__{j}__ready"] for j in range(n)]
            host.see(change, outputs)
            # Who does not read of the state is given the result some time after the last piece.
            if host.running and (host.state == State.AWAIT or (peer.may_merge and chance(random, 0.02))):
                peer.awaited()
            for j in range(n):
                if outputs[f"link_out__{j}__valid"]:
                    said = sent[j].take(*(outputs[f"link_out__{j}__{name}"] for name in WORD[1:]))
                    if said is not None:
                        peer.sent(said)
            change = {}


def _feed(random, config, address, links, peer, mood):
    """Let a peer send over a link that has nothing to send, or a message for others; a ring comes over one link."""
    j = random.randrange(config.dim)
    if chance(random, mood["pass"]):
        kind = random.choice([kind for kind in well_formed(config.router) if kind != "broadcast"])
        passing = message(random, config.router, kind, address ^ 1 << j)
        if not links[j].words and address not in passing.destinations:
            links[j].send(passing.words)
        return
    j = 0 if peer.plan.ring else j
    if links[j].words:
        return
    words = [word for word, _, _ in peer.next(mood["alien"])]
    if words:
        payload = words[1 + config.router.source_field :]
        head = encode(config.router, address ^ 1 << j, [address])
        links[j].send(ended([*head, *payload]))


def watch(inputs, outputs, twin):
    """Name what the unit, the host and the links do."""
    before = vars(twin).get("noted") or {"busy": 0, "ring": 0}
    access = inputs["collective__write"] and not inputs["collective__address"]
    command = entries(twin.config)["COMMAND"].unpack(inputs["collective__write_data"] if access else 0)
    now = {"busy": outputs["busy"], "ring": before["ring"], "cut": command["abort"]}
    twin.noted = now
    if inputs["rst"]:
        if outputs["busy"]:
            yield "reset"
        twin.noted = None
        return
    if command["start"] and not command["abort"] and not outputs["busy"]:
        now["ring"] = command["ring"]
    if before["busy"] and not outputs["busy"]:
        yield "cut short" if before.get("cut") else "ring ends" if before["ring"] else "merge ends"
    if outputs["failed"]:
        yield "failed"
    if outputs["custom_own"] | outputs["custom_other"]:
        yield "a word is merged"
    if outputs["vector_out__valid"] and inputs["vector_out__ready"]:
        yield "a word of a ring comes out" if before["ring"] else "a word of a result comes out"
    if inputs["inject__valid"]:
        yield "the host sends" if outputs["inject__ready"] else "the host waits"
    if outputs["eject__valid"]:
        yield "the host takes"
    for j in range(twin.config.dim):
        if outputs[f"link_out__{j}__valid"]:
            yield f"a word goes out over link {j}"
            # The last unit is the one that the host and the collectives send through.
            if twin.router.chosen[j] < len(twin.router.mhus) - 1:
                yield f"a word from a link goes out over link {j}"


def events(config, extra, options):
    """Return what can happen with so many links."""
    happen = ["reset", "cut short", "ring ends", "merge ends", "a word is merged", "a word of a ring comes out"]
    happen += ["a word of a result comes out", "the host sends", "the host waits", "the host takes"]
    words = ("a word", "a word from a link")
    return (*happen, *(f"{word} goes out over link {j}" for word in words for j in range(config.dim)))


BENCH = Bench(
    unit="collective.node:CollectiveNode",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
