"""Stimulus of a network with AXI ports, at each node a processor whose program is written over the C driver.

The driver is compiled for the machine that runs the tests. An access to a register is one of AXI4-Lite, a word that is
sent or received one of AXI4-Stream, each channel in cycles of its own choice. A program is a Python function in a
thread of its own.
"""

import ctypes

from cubecast.golden.common.contract.axi import lite_pins
from cubecast.golden.common.contract.registers import BYTES
from cubecast.tb.common.patterns import item
from tests.common.program import Program

__all__ = ["GET", "PUT", "RECEIVE", "SEND", "Device", "Host", "counted", "cycles"]

SPARE_CYCLES = 20
"""Cycles after the last program has ended."""

MOST_DELAY = 4
"""Fewer cycles than this pass before a channel offers, or takes, what it has to."""

SEND = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.c_uint32), ctypes.c_uint32, ctypes.c_int)
RECEIVE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, *[ctypes.POINTER(ctypes.c_uint32)] * 2, ctypes.c_void_p)
GET = ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_void_p, ctypes.c_uint32)
PUT = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint32)


class Device(ctypes.Structure):
    """``cubecast_router`` and its like."""

    _fields_ = (
        ("registers", ctypes.c_void_p),
        ("address", ctypes.c_uint32),
        ("send_word", SEND),
        ("receive_word", RECEIVE),
        ("stream", ctypes.c_void_p),
    )


class Host(ctypes.Structure):
    """``struct host``: the accesses."""

    _fields_ = (("get", GET), ("put", PUT))


class Processor(Program):
    """A processor with the driver, and its ports.

    Parameters
    ----------
    number : int
        The node.
    random : Random
        Decides in which cycles channels do something.
    config : configuration
        Parameters of the network.
    slave : Slave
        The registers.
    streams : dict of Stream
        The stream that goes in, and the one that comes out.
    library : CDLL
        The driver.
    device : str
        What it drives.
    """

    def __init__(self, number, random, config, slave, streams, library, device):
        super().__init__(number)
        self.random, self.config, self.slave, self.streams = random, config, slave, streams
        self.library, self.device = library, device
        self.used, self.deaf, self.peers, self.reached = set(), False, (), 0
        self.channels, self.delays, self.answer = {}, {}, 0
        # Kept, since C does not count references.
        self.calls = SEND(self._send), RECEIVE(self._receive)
        self.c = Device(number + 1, number, *self.calls, None)
        self.parts = -(-config.width // 32)

    # What a program calls, in its thread.

    def _send(self, _, word, user, last):
        """Send a word: ``send_word``."""
        if self.deaf:
            return 1
        self.ask("send", sum(word[part] << 32 * part for part in range(self.parts)), user, last)
        return 0

    def _receive(self, _, word, user, last):
        """Receive a word: ``receive_word``."""
        if self.deaf:
            return 1
        value, user[0], ended = self.ask("receive")
        for part in range(self.parts):
            word[part] = value >> 32 * part & 0xFFFFFFFF
        ctypes.cast(last, ctypes.POINTER(ctypes.c_int))[0] = ended
        return 0

    def __getattr__(self, name):
        """Return a function of the driver with this device as its first argument; it takes numbers and lists."""
        return lambda *given: self._call(name, *given)

    def _call(self, name, *given):
        """Return what a function returns."""
        self.used.add(name)
        function = getattr(self.library, f"cubecast_{self.device}_{name}")
        function.restype = ctypes.c_uint32 if name.startswith("get_") else ctypes.c_int
        return function(ctypes.byref(self.c), *map(self._passed, given))

    def _passed(self, value):
        """Return a value as C takes it: the words of a list are numbers of 32 bits."""
        if isinstance(value, (list, tuple)):
            return (ctypes.c_uint32 * max(1, len(value)))(*value)
        return ctypes.c_uint32(value) if isinstance(value, int) else value

    def words(self, values):
        """Return words of the router as numbers of 32 bits."""
        return [value >> 32 * part & 0xFFFFFFFF for value in values for part in range(self.parts)]

    def taken(self, *more, room=16):
        """Receive a message; return the status, what comes before the data, and the words."""
        before = [ctypes.c_uint32(99) for _ in more]
        data, count = (ctypes.c_uint32 * (room * self.parts))(), ctypes.c_uint32(99)
        status = self.receive(*map(ctypes.byref, before), data, room, ctypes.byref(count))
        words = [
            sum(data[place * self.parts + part] << 32 * part for part in range(self.parts))
            for place in range(min(room, count.value))
        ]
        return (status, *(value.value for value in before), words)

    def error(self):
        """Take the oldest error: reason, destination, port, lane; None if there is none."""
        found = (ctypes.c_uint32 * 4)()
        return tuple(found) if self.next_error(found) else None

    # What a cycle does, in the thread of the testbench.

    def _begun(self, kind, *given):
        """Return the channels of an access: handshake that is driven and the one that is awaited, and payload."""
        lite, into, out = self.slave.prefix, self.streams[True].prefix, self.streams[False].prefix
        if kind == "get":
            address = {f"{lite}_araddr": given[0] * BYTES}
            return {
                "ar": (f"{lite}_arvalid", f"{lite}_arready", address),
                "r": (f"{lite}_rready", f"{lite}_rvalid", {}),
            }
        if kind == "put":
            address, value = {f"{lite}_awaddr": given[0] * BYTES}, {f"{lite}_wdata": given[1], f"{lite}_wstrb": 15}
            return {
                "aw": (f"{lite}_awvalid", f"{lite}_awready", address),
                "w": (f"{lite}_wvalid", f"{lite}_wready", value),
                "b": (f"{lite}_bready", f"{lite}_bvalid", {}),
            }
        if kind == "send":
            word = dict(zip((f"{into}_tdata", f"{into}_tuser", f"{into}_tlast"), given, strict=True))
            return {"in": (f"{into}_tvalid", f"{into}_tready", word)}
        return {"out": (f"{out}_tready", f"{out}_tvalid", {})}

    def drive(self):
        """Return what the processor drives in this cycle, by port."""
        found = {}
        if self.access and self.access[0] != "pause":
            if not self.channels:
                self.channels = self._begun(*self.access)
                self.delays = {channel: self.random.randrange(MOST_DELAY) for channel in self.channels}
            for channel, (own, _, payload) in self.channels.items():
                if not self.delays[channel]:
                    found |= {own: 1, **payload}
        return found

    def take(self, driven, outputs):
        """Take the outputs of this cycle; end an access that is through."""
        if self.access is None:
            return
        for channel, (own, other, _) in list(self.channels.items()):
            self.delays[channel] -= self.delays[channel] > 0
            if driven.get(own) and outputs[other] >> self.number & 1:
                del self.channels[channel]
                self.answer = self._answered(channel, outputs) or self.answer
        if not self.channels:
            answer, self.answer = self.answer, 0
            self._answer(answer)

    def _answered(self, channel, outputs):
        """Return what comes over a channel."""
        lite, stream = self.slave.prefix, self.streams[False]
        widths = {"out": {f"{stream.prefix}_tdata": stream.data_bits, f"{stream.prefix}_tuser": stream.user_bits}}
        widths["out"] |= {f"{stream.prefix}_tlast": 1}
        widths |= {"r": {f"{lite}_rdata": 32, f"{lite}_rresp": 2}, "b": {f"{lite}_bresp": 2}}
        values = [item(outputs[name], self.number, width) for name, width in widths.get(channel, {}).items()]
        if channel == "out":
            return tuple(values)
        assert not values or values.pop() == 0, f"{self.access} is answered with an error"
        return values[0] if values else 0


def counted(cpu):
    """Read the counters of every port."""
    for port in range(cpu.config.dim + 1):
        for name in ("messages_in", "messages_out", "words_out", "waited"):
            assert getattr(cpu, f"get_{name}")(port) < 1000


def cycles(random, config, axi, programs, path, functions, *, device="router", slave="s_axi", streams="axis"):
    """Yield the inputs of each cycle of a network, and take the outputs; run the programs.

    Parameters
    ----------
    random : Random
        Decides in which cycles channels do something.
    config : configuration
        Parameters of the network.
    axi : function
        Returns the AXI ports of a configuration's network.
    programs : sequence of function
        The program of each node, called with its :class:`Processor`.
    path : str
        The compiled driver.
    functions : list of str
        Its functions, all of which the programs call.
    device : str
        What the driver drives.
    slave, streams : str
        Prefix of its registers; what the streams of its messages begin with, behind ``s_`` and ``m_``.
    """
    ports = axi(config, cube=True)
    (lite,) = [each for each in ports.slaves if each.prefix == slave]
    ends = {each.into: each for each in ports.streams if each.prefix[2:] == streams}
    bits = {f"{slave}_{name}": pin.bits for name, pin in lite_pins(lite.config).items() if pin.driven}
    widths = {"tvalid": 1, "tdata": ends[True].data_bits, "tlast": 1, "tuser": ends[True].user_bits}
    bits |= {f"{ends[True].prefix}_{name}": width for name, width in widths.items()}
    bits[f"{ends[False].prefix}_tready"] = 1
    library = ctypes.CDLL(path)
    processors = [Processor(node, random, config, lite, ends, library, device) for node in range(config.nodes)]
    host = Host(
        GET(lambda registers, number: processors[registers - 1].ask("get", number)),
        PUT(lambda registers, number, value: processors[registers - 1].ask("put", number, value)),
    )
    ctypes.memmove(ctypes.addressof(Host.in_dll(library, "host")), ctypes.addressof(host), ctypes.sizeof(Host))
    for processor, program in zip(processors, programs, strict=True):
        processor.peers = processors
        processor.begin(program)
    left = SPARE_CYCLES
    while left:
        found, driven = dict.fromkeys(bits, 0), [processor.drive() for processor in processors]
        for node, values in enumerate(driven):
            for name, value in values.items():
                found[name] |= value << bits[name] * node
        outputs = yield found
        for processor, values in zip(processors, driven, strict=True):
            processor.take(values, outputs)
        failed = "".join(processor.failed for processor in processors)
        assert not failed, failed
        left -= all(processor.access is None for processor in processors)
    called = set().union(*(processor.used for processor in processors))
    assert called == set(functions), called.symmetric_difference(functions)
