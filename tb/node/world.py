"""Nodes that run random programs again and again: what a testbench of one of them, or of all, is driven with."""

from cubecast.golden.common.contract.control import Register as Control
from cubecast.golden.common.twins.ports import join, split
from cubecast.golden.node.contract.block import COMPLETE, STATUS_LOW, SYSTEM_BIT, Instruction, Status
from cubecast.golden.node.contract.registers import ADDRESS_BITS, Counter, Interrupt, Register
from cubecast.golden.packet.contract.reason import PacketReason
from cubecast.tb.common.patterns import chance, sparse
from cubecast.tb.node.layout import FIRST
from cubecast.tb.node.program_cases import crowded_programs, random_programs
from cubecast.tb.node.program_run import INPUTS, TIMEOUT_CYCLES, ProgramRun

__all__ = ["ALL", "COMMON", "HARD", "draw", "happenings", "hard_life", "life"]

LONGEST = 6000
"""Cycles of a life at most."""

STATUS_MASK = 0xFF << STATUS_LOW
"""Bits of the status in FLAG."""

STATUSES = {int(status): status.name for status in Status}

COMMON = (
    "message in a receive",
    "message refused",
    "broadcast refused",
    "send OK",
    "receive OK",
    "posted",
    "interrupt BAD_OPERAND",
)
"""What even short runs of random programs lead to, with any number of buffers."""


ALL = (
    *COMMON,
    *(f"send {name}" for name in ("DAMAGED", "TIMEOUT", "MEMORY_ERROR", "UNDELIVERABLE")),
    *(f"receive {name}" for name in ("TRUNCATED", "DAMAGED", "MEMORY_ERROR")),
    *(f"instruction {name}" for name in ("OK", "TRUNCATED", "NO_BUFFER", "MEMORY_ERROR")),
    *(f"refused {status.name}" for status in Status if status >= Status.DISABLED or status == Status.NO_BUFFER),
    *(f"interrupt {interrupt.name}" for interrupt in Interrupt),
    "broadcast in a receive",
    "broadcast in a buffer",
    "message in a buffer",
    "claimed",
    "claimed a broadcast elsewhere",
    "no buffer",
    "rewind for a receive",
    "rewind for a buffer",
    "rewind of a broadcast",
    "further round",
    "lent",
    "released",
    "not released",
    "stray",
    "message without bytes",
    "system message refused",
    "buffers are left for system messages",
    "several receives are looked at",
    "message lost",
    "room too small",
    "tracked",
    "tracker full",
    "rewind while an offer is open",
    "early read",
)
"""What long runs of nodes whose life is hard lead to, if they have buffers: each status, interrupt and corner case."""


HARD = (
    "send TIMEOUT",
    "send UNDELIVERABLE",
    "send MEMORY_ERROR",
    "instruction MEMORY_ERROR",
    "refused DISABLED",
    "refused BUSY",
    "refused BAD_BLOCK",
    "interrupt TIMEOUT",
    "not released",
    "early read",
    "reset",
)
"""What a network whose life is hard leads to within some thousand cycles, besides what programs do."""

SHOWN = (
    *(Register.PLACES + instruction for instruction in Instruction),
    *(Register.COUNTER + counter for counter in Counter),
    *(register for register in Register if register not in (Register.PLACES, Register.COUNTER)),
)
"""Numbers of the registers of a node interface."""


class Hostile:
    """What makes the life of nodes harder than programs do: errors of memories, links that fail, doorbells at any time.

    Parameters
    ----------
    random, config
        As for a stimulus.
    run : ProgramRun
        The programs.
    routers : sequence of IdealRouter
        Those of the nodes, which report what has not happened; none for real ones.
    """

    def __init__(self, random, config, run, routers):
        self.random, self.config, self.run, self.routers = random, config, run, routers
        self.held, self.read = {}, {}
        self._turn()

    def _turn(self):
        """Draw how often a doorbell rings that nobody rings, and how often a memory fails."""
        self.often, self.wrong = self.random.choice((0.01, 0.01, 0.3)), self.random.choice((0.0, 0.01, 0.1))

    def spoil(self, inputs):
        """Return the inputs of a cycle as they should not be."""
        random, nodes = self.random, self.config.nodes
        if chance(random, 0.003):
            self._turn()
        own = {name: split(value, INPUTS[name], nodes) for name, value in inputs.items()}
        for node in range(nodes):
            for name, valid in (("data_error", "data_valid"), ("done_error", "done")):
                own[name][node] |= own[valid][node] & chance(random, self.wrong)
            often = self.often if self.run.clock else 0.2
            if not own["doorbell_valid"][node] and (node in self.held or chance(random, often)):
                instruction, address = self.held.setdefault(node, self._doorbell(node))
                own["doorbell_instruction"][node], own["doorbell_address"][node] = instruction, address
                own["doorbell_valid"][node] = 1
            if not own["control_write"][node] | own["control_address"][node]:
                last = self.read.pop(node, 0)
                if last and chance(random, 0.5):
                    own["control_address"][node] = self.read[node] = last
                elif chance(random, 0.02):
                    own["control_address"][node] = self.read[node] = random.getrandbits(8)
                    if self.run.clock and chance(random, 0.1):
                        vector = random.choice((0, 0, random.getrandbits(self.config.dim)))
                        cut = {"control_address": Control.FAULT, "control_write": 1, "control_write_data": vector}
                        for name, value in cut.items():
                            own[name][node] = int(value)
            if not own["watch_valid"][node] and chance(random, 0.1):
                own["watch_valid"][node], own["watch_size"][node] = 1, random.randrange(3)
                own["watch_address"][node] = self._place(node)
        for router in self.routers:
            router.report = None
            if chance(random, 0.002):
                reason, to = random.choice((PacketReason.UNDELIVERABLE, *PacketReason)), random.randrange(nodes)
                router.report = int(reason), to, 0, random.choice((2, 2, random.getrandbits(4)))
        return {name: join(values, INPUTS[name]) for name, values in own.items()}

    def _place(self, node):
        """Return an address, most often within a buffer."""
        random, layout = self.random, self.run.layouts[node]
        buffers = [slot for slot in layout.slots.values() if slot.buffer_bytes]
        if not buffers or chance(random, 0.2):
            return random.randrange(layout.first, layout.last)
        slot = random.choice(buffers)
        return slot.buffer + random.randrange(slot.buffer_bytes)

    def _doorbell(self, node):
        """Return a doorbell that no program rings."""
        random, layout = self.random, self.run.layouts[node]
        blocks = [slot.block for slot in layout.slots.values()] or [layout.first]
        instruction = random.choice(tuple(Instruction))
        if instruction == Instruction.RELEASE and self.config.buffers and chance(random, 0.7):
            return instruction, layout.system + self.config.buffer_bytes * random.randrange(self.config.buffers)
        # Single bits show a limit of memory that is wrong in one.
        beyond = random.choice(blocks) ^ 1 << random.randrange(12, 32)
        limits = (layout.first - 32, layout.last - 31 & ~31, layout.last + 1, layout.system)
        address = random.choice((random.choice(blocks), beyond, *limits, random.getrandbits(32)))
        return instruction, address + random.choice((0, 0, 0, 4, -32)) & 0xFFFFFFFF

    def taken(self, outputs):
        """Forget doorbells that were taken."""
        ready = outputs["doorbell_ready"]
        self.held = {node: doorbell for node, doorbell in self.held.items() if not ready >> node & 1}


def draw(random, config, steps=20, timeouts=(0, 0, 0, 0, 1), first=FIRST, crowded=None):
    """Return a run of random programs of up to so many steps; most nodes wait for nothing, so that much goes on.

    ``crowded``: a node that all others send to before it is ready.
    """
    if crowded is not None:
        programs = crowded_programs(random.getrandbits(32), config.nodes, crowded, steps, config.buffer_bytes)
    else:
        programs = random_programs(random.getrandbits(32), config.nodes, steps, config.buffer_bytes)
        for node, program in programs["nodes"].items():
            if chance(random, 0.7):
                programs["nodes"][node] = [step for step in program if step["do"] not in ("wait", "read", "release")]
    return ProgramRun(
        random,
        config,
        programs,
        latency=random.choice((1, 1, 4, 7)),
        stall=random.choice((0.0, 0.0, 0.1, 0.5)),
        timeout=random.choice(timeouts),
        most=LONGEST,
        first=first,
    )


def life(random, config, network, hostile=False, looked_at=None, crowded=None, ideal=True, cuts=0.0):
    """Yield the inputs of all nodes, cycle after cycle, as vectors, until their programs have ended.

    Parameters
    ----------
    random, config
        As for a stimulus.
    network
        Golden nodes; after each cycle it is stepped with what was yielded.
    hostile : bool
        Whether more comes than programs and memories that work.
    looked_at : int, or None
        A node whose registers are read while its processor leaves them alone.
    crowded : int, or None
        As for :func:`draw`; its router, an ideal one, reports what has not happened.
    ideal : bool
        Whether ``network`` is one of ideal packets, whose routers report what a hostile life says.
    cuts : float
        Part of the cycles in which links of the node that is looked at are cut or mended.
    """
    # Any page of the 32 bits of addresses that has enough behind it.
    run = draw(random, config, first=random.randint(1, 0xFFF00) << 12, crowded=crowded)
    soft = _whole(run.cycles(network.quiet))
    turns = hard_life(random, config, run, network.packets.routers if ideal else ()) if hostile else soft
    given = next(turns)
    while True:
        if looked_at is not None:
            given = _look(random, given, looked_at)
        if cuts and looked_at is not None and chance(random, cuts):
            given = _cut(random, given, looked_at, config.dim)
        if crowded is not None:
            given = _watch(random, given, crowded, run.layouts[crowded])
            lost = int(PacketReason.UNDELIVERABLE), random.randrange(config.nodes), 0, 2
            network.packets.routers[crowded].report = lost if chance(random, 0.01) else None
        yield given
        try:
            given = turns.send(network.step(given))
        except StopIteration:
            return


def _look(random, given, node):
    """Return the inputs of all nodes, with a read of a node's register in most cycles in which there is no access."""
    place = ADDRESS_BITS * node
    access = given["control_address"] >> place & (1 << ADDRESS_BITS) - 1 or given["control_write"] >> node & 1
    if access or chance(random, 0.2):
        return given
    number = random.choice((random.choice(SHOWN), random.choice(SHOWN), random.getrandbits(ADDRESS_BITS)))
    return given | {"control_address": given["control_address"] | number << place}


def _cut(random, given, node, dim):
    """Return the inputs of all nodes, with a write of a node's fault vector, instead of another access of it."""
    values = {"control_address": Control.FAULT, "control_write": 1}
    values["control_write_data"] = random.choice((0, sparse(random, dim)))
    own = {name: split(given[name], INPUTS[name], 1 << dim) for name in values}
    for name, value in values.items():
        own[name][node] = int(value)
    return given | {name: join(items, INPUTS[name]) for name, items in own.items()}


def _watch(random, given, node, layout):
    """Return the inputs of all nodes, with a watched read of a node's buffer in many cycles in which there is none."""
    if given.get("watch_valid", 0) >> node & 1 or chance(random, 0.5):
        return given
    starts = [slot.buffer for slot in layout.slots.values() if slot.buffer] + [layout.system] * len(layout.slots)
    address, bits = random.choice(starts) + random.randrange(layout.last + 1 - layout.system), INPUTS["watch_address"]
    found = {"watch_valid": 1 << node, "watch_address": address << bits * node}
    return given | {name: given.get(name, 0) | value for name, value in found.items()}


def _whole(cycles):
    """Yield all inputs of each cycle, where some yields those that change; take the outputs."""
    inputs, outputs = {}, None
    while True:
        try:
            inputs |= cycles.send(outputs)
        except StopIteration:
            return
        outputs = yield inputs


def hard_life(random, config, run, routers=()):
    """Yield all inputs of each cycle, and take the outputs, while programs run on nodes whose life is hard.

    Parameters
    ----------
    random, config
        As for a stimulus.
    run : ProgramRun
        The programs.
    routers : sequence of IdealRouter
        As for :class:`Hostile`.
    """
    spoiler = Hostile(random, config, run, routers)
    # Where answers get lost, senders give up only after a while in which nothing moves.
    rest = TIMEOUT_CYCLES * (run.timeout + 1)
    turns = _whole(run.cycles(lambda: run.clock - run.moved > rest))
    inputs = next(turns)
    while True:
        outputs = yield spoiler.spoil(dict.fromkeys(INPUTS, 0) | inputs)
        spoiler.taken(outputs)
        try:
            inputs = turns.send(outputs)
        except StopIteration:
            return
        except ValueError:
            # A program has read what no interface writes: a block that a doorbell out of turn has spoilt.
            return


def corner_cases(interface):
    """Name what happens seldom in a golden node interface."""
    shown, engine = interface.shown, interface.engine
    matcher, first = shown["matcher"][1], interface.matcher.first
    if matcher["verdict"] and not first.length:
        yield "message without bytes"
    refused = matcher["verdict"] and not matcher["placed"] and not matcher["lost"]
    if refused and shown["matcher"][0]["free"] and not first.b:
        if first.type >> SYSTEM_BIT:
            yield "system message refused"
        elif not first.behind and first.length <= interface.config.buffer_bytes:
            yield "buffers are left for system messages"
    if matcher["visit"] and matcher["visited"] > 1:
        yield "several receives are looked at"
    stream = engine.stream
    if engine.state == "HEAD" and engine.index == 0 and stream.length > stream.place.room > 0:
        yield "room too small"
    if engine.state == "HEAD" and stream.length > interface.config.first_bytes and stream.store:
        yield "tracked" if stream.tracked else "tracker full"
    scheduler = interface.scheduler
    if scheduler.state == "WORK" and scheduler.entry.again and scheduler.work == "answer":
        yield "rewind while an offer is open"
    if shown["tracker"][1]["early"]:
        yield "early read"


def happenings(interface):
    """Name what has happened in a golden node interface in the cycle before."""
    shown = interface.shown
    matcher, engine, unit = (shown[name][1] for name in ("matcher", "engine", "control"))
    first = interface.matcher.first
    kind = "broadcast" if first.b else "message"
    if matcher["verdict"]:
        if matcher["lost"]:
            yield f"{kind} lost"
        elif not matcher["placed"]:
            yield f"{kind} refused"
        else:
            yield f"{kind} in a receive" if matcher["user"] else f"{kind} in a buffer"
    if matcher["settled"]:
        yield ("posted", "claimed", "claimed a broadcast elsewhere", "no buffer")[matcher["how"]]
    if matcher["rewind__valid"] and shown["matcher"][0]["rewind__ready"]:
        yield "rewind for a buffer" if interface.matcher.available else "rewind for a receive"
    if matcher["prepare__valid"] and engine["prepare__ready"]:
        yield "rewind of a broadcast"
    if engine["completed"]:
        yield f"receive {interface.engine.status.name}"
    for name, told in (("scheduler", "send"), ("control", "instruction")):
        outputs = shown[name][1]
        if outputs["writer__valid"] and outputs["writer__data"] & ~STATUS_MASK == COMPLETE:
            yield f"{told} {STATUSES.get(outputs['writer__data'] >> STATUS_LOW, 'unknown')}"
    if shown["scheduler"][1]["part__valid"] and interface.scheduler.what == "AGAIN":
        yield "further round"
    log = shown["log"][0]
    if log["put__0__valid"]:
        yield "interrupt EARLY_READ"
    elif log["put__1__valid"]:
        yield f"interrupt {Interrupt(log['put__1__reason']).name}"
        if log["put__1__reason"] == Interrupt.BAD_OPERAND:
            yield f"refused {STATUSES[log['put__1__status']]}"
    if interface.log.lost != shown["log"][1]["lost"]:
        yield "interrupt EVENT_LOST"
    yield from corner_cases(interface)
    if engine["stray"]:
        yield "stray"
    if unit["lend__valid"] or engine["lend"]:
        yield "lent"
    if shown["pool"][1]["released"]:
        yield "released" if shown["pool"][1]["accepted"] else "not released"
