"""Testbench of the adapter: messages of a node, packets of others, a router that stalls, faults that come and go."""

from cubecast.golden.adapter.contract.registers import ADDRESS_BITS, Register
from cubecast.golden.adapter.contract.word import AdapterReason
from cubecast.tb.adapter.messages import message, packet
from cubecast.tb.common.patterns import chance, moods, recall, sparse
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH", "Accesses"]


class Accesses:
    """Accesses to the registers: reads, policies, seeds, and faults that come and go.

    Parameters
    ----------
    random : Random
        The run's only source of randomness.
    config : AdapterConfig
        Parameters of the node.
    port : str
        Name of the port.
    """

    def __init__(self, random, config, port="control"):
        self.random, self.config, self.port, self.valid = random, config, port, 0

    def next(self, change, known):
        """Return the ports in this cycle."""
        random, config = self.random, self.config
        write, address, data = 0, random.randrange(1 << ADDRESS_BITS), random.getrandbits(32)
        if chance(random, change):
            write, address = 1, int(random.choice((Register.POLICY, Register.SEED)))
            if config.fault_entries and chance(random, 0.7):
                entry = random.randrange(config.fault_entries)
                node, dimension = random.randrange(config.nodes), random.randrange(config.dim)
                valid = 0 if self.valid >> entry & 1 else chance(random, known)
                address = Register.FAULT + entry
                data = node | dimension << 12 | random.getrandbits(1) << 16 | valid << 31
                self.valid = self.valid & ~(1 << entry) | valid << entry
        return {f"{self.port}__address": address, f"{self.port}__write": write, f"{self.port}__write_data": data}


def stimulus(random, config):
    """Play the node and the router."""
    drawing = moods(
        random,
        150,
        load=(0.1, 1.0, 1.0),
        illegal=(0.0, 0.0, 0.4),
        inject=(0.1, 0.6, 1.0),
        eject=(0.0, 0.3, 1.0),
        elsewhere=(0.0, 0.3, 1.0),
        receive=(0.1, 1.0, 1.0),
        change=(0.0, 0.02, 0.1),
        known=(0.0, 0.0, 0.9),
        report=(0.02, 1.0, 1.0),
        reset=(0.0, 0.002),
    )
    while True:
        address, accesses = random.randrange(config.nodes), Accesses(random, config)
        rst, words, coming, valid, cut = 0, [], [], 0, 0
        while not rst:
            mood = next(drawing)
            rst = chance(random, mood["reset"])
            words = words or message(random, config, address, mood["illegal"])
            coming = coming or packet(random, config, address, mood["elsewhere"])
            valid = valid or chance(random, mood["eject"])
            if chance(random, mood["change"]):
                cut = sparse(random, config.dim) if chance(random, mood["known"]) else 0
            send = chance(random, mood["load"])
            outputs = yield {
                "rst": rst,
                "address": address,
                "send__valid": send,
                **{f"send__{name}": value for name, value in words[0].items()},
                "inject__ready": chance(random, mood["inject"]),
                "eject__valid": valid,
                **{f"eject__{name}": value for name, value in coming[0].items()},
                "receive__ready": chance(random, mood["receive"]),
                "cut": cut if config.router.fault_tolerant else 0,
                **accesses.next(mood["change"], mood["known"]),
                "report__ready": chance(random, mood["report"]),
            }
            if send and outputs["send__ready"]:
                words.pop(0)
            if valid and outputs["eject__ready"]:
                coming.pop(0)
                valid = 0


def watch(inputs, outputs, twin):
    """Name what is injected, received and reported."""
    order = recall(twin, twin.planner.order)
    if inputs["rst"]:
        yield "reset"
        return
    if outputs["inject__valid"] and inputs["inject__ready"] and outputs["inject__last"] and order is not None:
        yield "sent on" if order.relay else f"kind {outputs['inject__kind']}"
        if outputs["inject__kind"] == 0 and outputs["inject__r1"] and outputs["inject__r2"]:
            yield "two runs"
    if outputs["receive__valid"]:
        yield "received" if inputs["receive__ready"] else "the node stalls"
        if outputs.get("receive__more"):
            yield "the message goes on"
    if outputs["report__valid"] and inputs["report__ready"]:
        yield AdapterReason(outputs["report__reason"]).name
    if outputs["control__read_data"]:
        yield "register read"
    if not outputs["send__ready"]:
        yield "the node waits"


def events(config, extra, options):
    """Return what can happen with these parameters."""
    router = config.router
    happen = ["reset", "kind 0", "received", "the node stalls", "the node waits", "SHORT_MESSAGE", "BAD_KIND", "EMPTY"]
    happen += ["kind 1"] * router.multicast + ["kind 2"] * config.bitmaps + ["two runs"] * config.draws
    happen += ["ADDRESS_BITS"] * (config.width > min(2 * config.dim + 2, router.bitmap_bits))
    happen += ["the message goes on"] * (config.reassemble > 0)
    happen += ["sent on", "NO_ROUTE", "RELAY_FULL"] * config.knows_faults
    return (*happen, *(["register read"] * bool(config.draws or config.fault_entries)))


BENCH = Bench(
    unit="adapter.adapter:Adapter",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
