"""Testbench of the AXI4-Lite slave, with a master whose channels take their own time."""

from cubecast.golden.common.contract.axi import registers_of
from cubecast.golden.common.contract.control import Register
from cubecast.golden.common.contract.registers import BYTES
from cubecast.golden.common.contract.units import ADDRESS_BITS
from cubecast.golden.common.twins.axi_control import SLVERR
from cubecast.tb.common.patterns import chance, moods, sparse
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH", "EVENTS", "MOODS", "Master", "Writer", "accesses"]

BYTE_BITS = (BYTES - 1).bit_length()

MOODS = {"aw": (0.05, 0.5, 1.0), "w": (0.05, 0.5, 1.0), "ar": (0.05, 0.5, 1.0), "b": (0.1, 1.0), "r": (0.1, 1.0)}
"""How likely, in each cycle, a master's channel starts a transfer, or is ready for one."""


class Master:
    """An AXI4-Lite master: what a channel offers stays until it is taken; while it offers nothing, payload is noise.

    Parameters
    ----------
    random : Random
        The run's only source of randomness.
    config : Control
        Where registers are, and how wide the fault vector is.
    faults : float
        Part of the writes that go to the fault vector without an order.
    """

    def __init__(self, random, config, faults=0.3):
        self.random, self.config, self.faults = random, config, faults
        self.valid = dict.fromkeys(("aw", "w", "ar"), 0)
        self.begun = dict.fromkeys(self.valid, 0)
        self.orders = {}
        self.known = registers_of(config).readable

    def order(self, vector):
        """Write the fault vector as soon as the channels come to it; only the last of several orders counts."""
        self.orders[max(self.begun["aw"], self.begun["w"])] = vector

    def _address(self, write):
        """Return a byte address: often one with a register, not always the first byte of it."""
        random = self.random
        if write and chance(random, self.faults):
            return Register.FAULT * BYTES + random.randrange(BYTES)
        anywhere = random.randrange(1 if write else 0, 1 << ADDRESS_BITS)
        number = random.choice((Register.LOG, Register.LOG, random.choice(self.known[write:]), anywhere))
        return number * BYTES + random.choice((0, 0, random.randrange(BYTES)))

    def _payload(self, channel):
        """Return the payload of a channel's next transfer."""
        random, vector = self.random, self.orders.get(self.begun[channel])
        if channel != "ar" and vector is not None:
            strobe = random.choice((15, 1 | random.getrandbits(4)))
            address = {"awaddr": Register.FAULT * BYTES, "awprot": 0}
            return {"wdata": vector, "wstrb": strobe} if channel == "w" else address
        if channel == "w":
            data = random.choice((sparse(random, self.config.dim), random.getrandbits(32)))
            return {"wdata": data, "wstrb": random.choice((15, 15, 15, random.randrange(16), 0))}
        return {f"{channel}addr": self._address(channel == "aw"), f"{channel}prot": random.getrandbits(3)}

    def _wants(self, channel):
        """Return whether there is something to transfer: always."""
        return 1

    def next(self, outputs, mood):
        """Return the inputs of the slave that change in the next cycle; ``outputs`` are those of the last one."""
        random, change = self.random, {}
        for channel, valid in self.valid.items():
            if valid and not outputs[f"s_axi_{channel}ready"]:
                continue
            self.valid[channel] = change[f"{channel}valid"] = self._wants(channel) and chance(random, mood[channel])
            change |= self._payload(channel)
            self.begun[channel] += self.valid[channel]
        change["bready"], change["rready"] = chance(random, mood["b"]), chance(random, mood["r"])
        return {f"s_axi_{name}": value for name, value in change.items()}


class Writer(Master):
    """A master that writes what it is told, in this order, and reads at random.

    Parameters
    ----------
    random : Random
        The run's source of randomness.
    config : Registers
        Where registers are.
    noise : Random
        Where protection bits come from, and all that an idle channel shows; None: they are 0, and what was written
        last.
    """

    def __init__(self, random, config, noise=None):
        super().__init__(random, config)
        self.noise = noise
        self.bits, self.writes, self.answered, self.taking = config.bits, [], 0, 0

    def _beside(self):
        """Return protection bits, and which byte of a register is addressed."""
        return divmod(self.noise.getrandbits(3 + BYTE_BITS), BYTES) if self.noise else (0, 0)

    @property
    def busy(self):
        """Whether a write is not answered yet."""
        return self.answered < len(self.writes)

    def awaits(self, number):
        """Return whether a write of a register is not answered yet."""
        return any(each == number for each, _, _ in self.writes[self.answered :])

    def write(self, number, value, strobe=(1 << BYTES) - 1):
        """Write a register, or the bytes of it that are strobed, after all that is to be written already."""
        self.writes.append((number, value, strobe))

    def _wants(self, channel):
        """Return whether there is something to transfer: a read always."""
        return int(channel == "ar" or self.begun[channel] < len(self.writes))

    def _payload(self, channel):
        """Return the payload of a channel's next transfer."""
        random = self.random
        if channel == "ar":
            number = random.choice((random.choice(self.known or (0,)), random.randrange(1 << self.bits)))
            prot, byte = self._beside()
            return {"araddr": number * BYTES + byte, "arprot": prot}
        if self.begun[channel] == len(self.writes):
            if not self.noise:
                return {}
            if channel == "w":
                return {"wdata": self.noise.getrandbits(32), "wstrb": self.noise.getrandbits(BYTES)}
            return {"awaddr": self.noise.getrandbits(self.bits + BYTE_BITS)}
        number, value, strobe = self.writes[self.begun[channel]]
        if channel == "w":
            return {"wdata": value, "wstrb": strobe}
        if not self.noise:
            return {"awaddr": number * BYTES}
        prot, byte = self._beside()
        return {"awaddr": number * BYTES + byte, "awprot": prot}

    def next(self, outputs, mood):
        """Return the inputs of the slave that change in the next cycle; ``outputs`` are those of the last one."""
        if outputs is not None and outputs["s_axi_bvalid"] and self.taking:
            self.answered += 1
        change = super().next(outputs, mood)
        self.taking = change["s_axi_bready"]
        return change


def stimulus(random, config):
    """Reads and writes side by side; the control port answers at random."""
    master, outputs = Master(random, config), None
    for mood in moods(random, 60, **MOODS, rst=(0, 0, 0.02)):
        change = master.next(outputs, mood)
        change["control__read_data"] = random.getrandbits(32)
        change["rst"] = chance(random, mood["rst"])
        outputs = yield change
        if change["rst"]:
            master = Master(random, config)


def accesses(inputs, outputs, twin):
    """Name what the AXI4-Lite slave does in this cycle; ``twin`` is its own."""
    for channel in "br":
        if outputs[f"s_axi_{channel}valid"]:
            kind = {"b": "write", "r": "read"}[channel]
            answer = "refused" if outputs[f"s_axi_{channel}resp"] == SLVERR else "done"
            yield f"{kind} {answer}" if inputs[f"s_axi_{channel}ready"] else f"{kind} response waits"
    for channel in ("aw", "w", "ar"):
        if inputs[f"s_axi_{channel}valid"] and not outputs[f"s_axi_{channel}ready"]:
            yield f"{channel} waits"
    if twin.aw is None and twin.w is not None:
        yield "data before address"
    if twin.aw is not None and twin.w is None:
        yield "address before data"
    if twin.fetching:
        yield "partial write with zeros" if twin.zeroes else "partial write"
    if twin.refuses:
        yield "partial write that is refused"
    if twin.w is not None and twin.aw is not None and not twin.w.strobe:
        yield "write without strobe"
    if twin.goes() == "read" and twin.writes():
        yield "read goes before a write"


def watch(inputs, outputs, twin):
    """Name what happens, and the reset of a slave at work."""
    if inputs["rst"]:
        if outputs["s_axi_bvalid"] or outputs["s_axi_rvalid"]:
            yield "reset"
        return
    yield from accesses(inputs, outputs, twin)
    if outputs["control__write"]:
        yield "write of the fault vector" if outputs["control__address"] == Register.FAULT else "write of the log"


EVENTS = tuple(f"{kind} {what}" for kind in ("read", "write") for what in ("done", "refused", "response waits"))
EVENTS += ("aw waits", "w waits", "ar waits", "data before address", "address before data")
EVENTS += ("partial write", "write without strobe", "read goes before a write")


def events(config, extra, options):
    """Return what can happen: what can be written is the log and the fault vector, where they are."""
    written = ["write of the log"] * bool(config.log_depth) + ["write of the fault vector"] * config.fault_tolerant
    return (*EVENTS, "reset", *written)


BENCH = Bench(
    unit="common.axi_control:AxiControl",
    stimulus=stimulus,
    events=events,
    watch=watch,
    config="cubecast.golden.common.contract.units:Control",
)
