"""Testbenches of units with AXI ports: those of the unit itself, its processor replaced by AXI masters and slaves."""

import functools
from collections import defaultdict
from random import Random

from cubecast.golden.common.contract.axi import lite_pins
from cubecast.golden.common.contract.control import Register
from cubecast.golden.common.contract.units import Control
from cubecast.golden.common.twins.ports import split
from cubecast.tb.common import axi_control
from cubecast.tb.common.patterns import chance, moods, pack
from cubecast.tb.harness.bench import Bench

__all__ = ["network", "network_watch", "of_network", "of_node", "stimulus"]

FIELDS = {"valid": "tvalid", "data": "tdata", "last": "tlast"}
ENDS = ("write done", "read done", "write refused", "read refused", "write response waits", "read response waits")


def _names(axi):
    """Return the names of the AXI ports by those of the streams that they stand for, but ``tready`` and ``tuser``."""
    return {
        axi.inside(stream.port, field): f"{stream.prefix}_{name}"
        for stream in axi.streams
        for field, name in FIELDS.items()
    }


def _plain(axi, values, busy):
    """Return a cycle's values under the names that the unit's own testbench has for them."""
    named = dict(values)
    for name, outer in _names(axi).items():
        if outer in values:
            named[name] = values[outer]
    for stream in axi.streams:
        if (user := values.get(f"{stream.prefix}_tuser")) is not None:
            named |= {axi.inside(stream.port, name): part.of(user) for name, part in stream.user.items()}
        if stream.ident:
            named[axi.inside(stream.port, stream.ident[0])] = values[f"{stream.prefix}_tid"]
        ready = values[f"{stream.prefix}_tready"] if stream.into else 0
        named[axi.inside(stream.port, "ready")] = ready and (1 << (stream.slots or 1)) - 1
    for slave in axi.slaves:
        named[axi.inside(slave.port, "read_data")] = 0
    # A command that has been written but not arrived keeps the unit busy, as its owner sees it.
    return named | ({"busy": values["busy"] or busy} if "busy" in values else {})


def _own(values, prefix):
    """Return the values of a slave under the names of a single one."""
    return values and {own: values[name] for name, own in _slave_names(prefix, *values)}


@functools.cache
def _slave_names(prefix, *names):
    """Return the names of a slave's ports among others, and those under which a single one has them."""
    return [(name, f"s_axi_{name[len(prefix) + 1 :]}") for name in names if name.startswith(f"{prefix}_")]


def _masters(random, axi, faults=0.0):
    """Return a master for each slave, by prefix; ``faults`` is the part of writes that change the fault vector."""
    return {
        slave.prefix: axi_control.Master(random, slave.config, faults=faults)
        if isinstance(slave.config, Control)
        else axi_control.Writer(random, slave.config, _noise(random, slave.prefix))
        for slave in axi.slaves
    }


def _noise(random, prefix):
    """Return a source of its own for a master's noise: it follows from the seed, and the traffic is as without it."""
    ahead = Random()
    ahead.setstate(random.getstate())
    return Random(f"{prefix} {ahead.getrandbits(64)}")


def stimulus(random, inner, axi, commands):
    """Yield what the unit's own testbench drives, and masters that read and write all the time.

    Writes of the fault vector and of registers that only this unit has are those that the own testbench asks for.

    Parameters
    ----------
    random : Random
        The run's only source of randomness.
    inner : generator
        Stimulus of the unit.
    axi : Axi
        Its AXI ports.
    commands : dict
        By name of a port, the register whose writes start or end what keeps the unit busy.
    """
    names, control, offered, users = _names(axi), {}, {}, defaultdict(dict)
    masters, outputs, busy = _masters(random, axi), None, 0
    drawing = moods(random, 60, **axi_control.MOODS)
    ports = tuple(f"{slave.port}__" for slave in axi.slaves)
    while True:
        wanted = next(inner) if outputs is None else inner.send(_plain(axi, outputs, busy))
        control |= {name: value for name, value in wanted.items() if name.startswith(ports)}
        change = {names.get(name, name): value for name, value in wanted.items() if not name.startswith(ports)}
        for stream in axi.streams:
            if not stream.into and axi.inside(stream.port, "ready") in change:
                change[f"{stream.prefix}_tready"] = change.pop(axi.inside(stream.port, "ready"))
            parts = {field: axi.inside(stream.port, field) for field in stream.user}
            fields = {field: change.pop(name) for field, name in parts.items() if name in change}
            if fields:
                users[stream.prefix] |= fields
                change[f"{stream.prefix}_tuser"] = stream.user_of(users[stream.prefix])
            padding, data = stream.data_bits - stream.width, f"{stream.prefix}_tdata"
            if stream.into and padding and data in change:
                change[data] |= random.getrandbits(padding) << stream.width
        mood, busy = next(drawing), 0
        for slave in axi.slaves:
            master = masters[slave.prefix]
            number, write, value = (control[f"{slave.port}__{name}"] for name in ("address", "write", "write_data"))
            if isinstance(master, axi_control.Writer):
                busy |= int(slave.port in commands and master.awaits(commands[slave.port]))
                if write:
                    master.write(number, value)
            elif write and number == Register.FAULT:
                master.order(value)
            for name, value in master.next(_own(outputs, slave.prefix), mood).items():
                change[name.replace("s_axi", slave.prefix, 1)] = value
        offered |= change
        outputs = yield change
        if change.get("rst"):
            masters, busy = _masters(random, axi), 0


def watch(inner, inputs, outputs, twin):
    """Name what the unit's own testbench names, and the accesses."""
    yield from inner.watch(*twin.passed, twin.inside)
    if inputs["rst"]:
        return
    for slave in twin.axi.slaves:
        (answerer,) = twin.slaves[slave.prefix]
        for event in axi_control.accesses(_own(inputs, slave.prefix), _own(outputs, slave.prefix), answerer):
            yield event if isinstance(slave.config, Control) else f"{slave.port}: {event}"
    for stream in twin.axi.streams:
        valid, ready = (({**inputs, **outputs})[f"{stream.prefix}_t{name}"] for name in ("valid", "ready"))
        if valid:
            yield f"{stream.prefix}: a word {'moves' if ready else 'waits'}"
        if valid and not stream.into and stream.user["error"].of(outputs[f"{stream.prefix}_tuser"]):
            yield f"{stream.prefix}: error"


def events(axi):
    """Return what happens at AXI ports of every node, with those of the router's registers alone."""
    streams = [f"{stream.prefix}: a word {what}" for stream in axi.streams for what in ("moves", "waits")]
    routed = any(isinstance(slave.config, Control) for slave in axi.slaves)
    return (*(axi_control.EVENTS if routed else ()), *streams)


def of_node(own, axi, *, unit, left=(), more=(), options=None, commands=None):
    """Return the testbench of a unit with AXI ports: its own one, its processor replaced by AXI masters and slaves.

    Parameters
    ----------
    own : module
        The unit's own testbench.
    axi : function
        Returns the AXI ports of a configuration.
    unit : str
        That of :class:`Bench`.
    left : tuple of str
        Words of the events that are left to the own testbench.
    more : tuple of str
        Events besides its own and those of the ports.
    options : dict
        Keyword arguments of the own testbench's stimulus; default: none.
    commands : dict
        As that of :func:`stimulus`; default: none.
    """

    def driven(random, config):
        """Everything that the own testbench sends, and masters that read and write all the time."""
        yield from stimulus(random, own.stimulus(random, config, **options or {}), axi(config), commands or {})

    def happen(config, extra, options):
        """Return what can happen with these parameters."""
        inside = [name for name in own.events(config, extra, options) if not any(word in name for word in left)]
        return (*inside, *events(axi(config)), *more)

    watched = functools.partial(watch, own)
    return Bench(unit=unit, stimulus=_placed(driven, unit), events=happen, watch=watched)


def _placed(stimulus, unit):
    """Return a stimulus that belongs to the module of a unit: a run is replayed by the name of a global there."""
    stimulus.__module__ = f"cubecast.tb.{unit.partition(':')[0]}"
    return stimulus


def of_network(axi, sources, moods_of, *, unit, silent=()):
    """Return the testbench of a network with AXI ports, in which every node sends, takes, reads and writes at once.

    Parameters
    ----------
    axi, unit
        As those of :func:`of_node`.
    sources : function
        ``sources(random, config)`` returns what :func:`network` takes, for a new start.
    moods_of : dict
        As that of :func:`network`.
    silent : tuple of str
        Streams of which nothing is expected.
    """

    def stimulus(random, config):
        """Messages of all nodes at once, receivers that stall, masters at all registers, resets in between."""
        ports = axi(config, cube=True)
        yield from network(random, ports, lambda: sources(random, config), moods_of, rst=0.0005)

    def happen(config, extra, options):
        """Return what happens at every node."""
        return (*network_events(axi(config, cube=True), silent=silent), "reset")

    return Bench(unit=unit, stimulus=_placed(stimulus, unit), events=happen, watch=network_watch)


def network(random, axi, sources, moods_of, rst=0.0, hosts=None):
    """Yield the inputs of a network: messages of every node, slaves that take what comes, masters everywhere.

    Without ``hosts`` the masters write what they like, faults and commands among it.

    Parameters
    ----------
    random : Random
        The run's only source of randomness.
    axi : Axi
        The AXI ports.
    sources : function
        Returns, for a new start, a function for each stream that goes in, by prefix: called with node, whether the
        word offered in the cycle before was taken, and the mood, it returns valid, data, last and user.
    moods_of : dict
        Choices of what the sources have to know, and ``take``.
    rst : float
        Probability of a reset in each cycle.
    hosts : function
        Returns, for the masters of all nodes by prefix, a generator that is sent inputs and outputs of each cycle and
        tells the masters what to write; the run ends with it.
    """
    drawing = moods(random, 60, **axi_control.MOODS, **moods_of)
    into = [stream for stream in axi.streams if stream.into]
    while True:
        offers, masters = sources(), [_masters(random, axi, 0.0 if hosts else 0.02) for _ in range(axi.nodes)]
        outputs, before, change = None, {}, {"rst": 0}
        told = hosts(masters) if hosts else None
        if told:
            next(told)
        while not change["rst"]:
            mood, change = next(drawing), {"rst": chance(random, rst)}
            for stream in axi.streams:
                if not stream.into:
                    takes = [chance(random, mood["take"]) for _ in range(axi.nodes)]
                    change[f"{stream.prefix}_tready"] = pack(takes, 1)
            for stream in into:
                moved = before.get(f"{stream.prefix}_tvalid", 0) & (
                    outputs[f"{stream.prefix}_tready"] if outputs else 0
                )
                offer = [offers[stream.prefix](node, moved >> node & 1, mood) for node in range(axi.nodes)]
                widths = {"tvalid": 1, "tdata": stream.data_bits, "tlast": 1, "tuser": stream.user_bits}
                for (name, width), items in zip(widths.items(), zip(*offer, strict=True), strict=True):
                    change[f"{stream.prefix}_{name}"] = pack(items, width)
            for slave in axi.slaves:
                if not hosts and not isinstance(slave.config, Control):
                    _write_any(random, slave, masters)
                _accesses(slave, axi.nodes, masters, outputs, mood, before, change)
            before |= change
            outputs = yield change
            try:
                if told:
                    told.send((before, outputs))
            except StopIteration:
                return


def _write_any(random, slave, masters):
    """Have the master of one of the nodes, unless it writes already, write any register of a slave."""
    master = random.choice(masters)[slave.prefix]
    if not master.busy:
        master.write(random.choice(slave.config.writable), random.getrandbits(random.choice((1, 4, 32))))


@functools.cache
def _pins(slave):
    """Return the ports of a slave of a network: their names, those of a single slave's, and the bits of an item."""
    return tuple((f"{slave.prefix}_{name}", f"s_axi_{name}", pin.bits) for name, pin in lite_pins(slave.config).items())


def _of_nodes(slave, values, nodes):
    """Return, for each node, the values of its slave under the names of a single one."""
    found = [{} for _ in range(nodes)]
    for outer, own, bits in _pins(slave):
        if outer in values:
            for single, value in zip(found, split(values[outer], bits, nodes), strict=True):
                single[own] = value
    return found


def _accesses(slave, nodes, masters, outputs, mood, before, change):
    """Put into ``change`` what the masters of all nodes drive."""
    seen = _of_nodes(slave, outputs, nodes) if outputs else [None] * nodes
    driven = [masters[node][slave.prefix].next(seen[node], mood) for node in range(nodes)]
    for outer, own, bits in _pins(slave):
        if any(own in values for values in driven):
            kept = split(before.get(outer, 0), bits, nodes)
            change[outer] = pack([values.get(own, old) for values, old in zip(driven, kept, strict=True)], bits)


def network_watch(inputs, outputs, twin):
    """Name, for each node, what it sends, gets and answers."""
    if inputs["rst"]:
        yield "reset"
        return
    both = {**inputs, **outputs}
    for stream in twin.axi.streams:
        valid, ready = both[f"{stream.prefix}_tvalid"], both[f"{stream.prefix}_tready"]
        for node in range(twin.axi.nodes):
            if valid & ready >> node & 1 and valid >> node & 1:
                yield f"{stream.prefix}: node {node}"
    for slave in twin.axi.slaves:
        pins = (_of_nodes(slave, values, twin.axi.nodes) for values in (inputs, outputs))
        for node, (answerer, *own) in enumerate(zip(twin.slaves[slave.prefix], *pins, strict=True)):
            for event in axi_control.accesses(*own, answerer):
                if event in ENDS:
                    yield f"{slave.port} of node {node}: {event}"


def network_events(axi, *, silent=()):
    """Return what happens at every node of a network but for the streams in ``silent``."""
    streams = [stream.prefix for stream in axi.streams if stream.prefix not in silent]
    moved = [f"{prefix}: node {node}" for prefix in streams for node in range(axi.nodes)]
    reads = [end for end in ENDS if end.startswith("read")]
    ends = [(slave, end) for slave in axi.slaves for end in (ENDS if slave.port == "control" else reads)]
    return (*moved, *(f"{slave.port} of node {node}: {end}" for slave, end in ends for node in range(axi.nodes)))
