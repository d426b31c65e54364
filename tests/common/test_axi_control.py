"""The AXI4-Lite slave: beside its golden twin, in front of the golden control port, and proven."""

# amaranth: UnusedElaboratable=no
import itertools

import pytest

from cubecast.golden.adapter.contract.axi import axi_of_adapter
from cubecast.golden.adapter.contract.config import AdapterConfig
from cubecast.golden.adapter.contract.registers import Register as Adapter
from cubecast.golden.common.contract.control import Register, register_map
from cubecast.golden.common.contract.registers import known, writable
from cubecast.golden.common.twins.axi_control import OKAY, SLVERR, AxiControl
from cubecast.golden.common.twins.control_port import ControlPort
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.node.contract.axi import registers as of_node
from cubecast.golden.node.contract.block import Instruction
from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.node.contract.registers import Register as Interface
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.tb.harness import formal
from tests.common.axi_control_spec import FILLED, MEDDLERS, AxiControlSpec
from tests.multicast.corners import CORNERS

READY = {"s_axi_bready": 1, "s_axi_rready": 1}
NODE = NodeConfig(router=PacketConfig(dim=2))


class Pair:
    """The golden slave in front of the golden control port."""

    def __init__(self, config):
        self.slave, self.port, self.cycle = AxiControl(config), ControlPort(config), 0

    def step(self, **inputs):
        """Return the slave's outputs of a cycle; ``inputs`` lack the prefix, and ready is 1 unless it is said."""
        request = self.slave.request()
        port = {"address": request.address, "write": request.write, "write_data": request.write_data}
        read_data = self.port.step({**port, **inputs.pop("events", {})})["read_data"]
        pins = {**READY, **{f"s_axi_{name}": value for name, value in inputs.items()}}
        outputs = self.slave.step({**pins, "control__read_data": read_data})
        self.cycle += 1
        return {name.removeprefix("s_axi_"): value for name, value in outputs.items()}

    def read(self, number):
        """Read a register; return its value, the response and the cycles from the address to rvalid."""
        assert self.step(araddr=4 * number, arvalid=1)["arready"]
        for cycles in range(1, 10):
            outputs = self.step()
            if outputs["rvalid"]:
                return outputs["rdata"], outputs["rresp"], cycles
        raise AssertionError("no answer")

    def write(self, address, data, strobe=15):
        """Write to a byte address; return the response and the cycles from address and data to bvalid."""
        outputs = self.step(awaddr=address, awvalid=1, wdata=data, wstrb=strobe, wvalid=1)
        assert outputs["awready"] and outputs["wready"]
        for cycles in range(1, 10):
            outputs = self.step()
            if outputs["bvalid"]:
                return outputs["bresp"], cycles
        raise AssertionError("no answer")


def test_cycles_of_a_read_and_of_a_write():
    """As docs/axi.md has them: 3 to the data, 2 to the response, 2 more for a partial write."""
    pair = Pair(Config(dim=3).control)
    assert pair.read(Register.FAULT) == (0, OKAY, 3)
    assert pair.write(0, 5) == (OKAY, 2)
    assert pair.read(Register.FAULT) == (5, OKAY, 3)
    assert pair.write(0, 2, strobe=1) == (OKAY, 4)
    assert pair.read(Register.FAULT) == (2, OKAY, 3)


def test_the_value_read_is_that_of_the_cycle_after_the_address():
    """An event in the cycle in which the address is taken is seen, one in the next cycle is not."""
    for late, seen in ((0, 1), (1, 0)):
        pair = Pair(Config(dim=3).control)
        events = [{"events": {"message_in": 1}}, {}]
        pair.step(araddr=4 * Register.MESSAGES_IN, arvalid=1, **events[late])
        pair.step(**events[1 - late])
        pair.step()
        assert pair.step()["rdata"] == seen


@pytest.mark.parametrize(("channels", "cycles"), [(("ar",), 3), (("aw", "w"), 2)])
def test_a_master_that_is_always_ready_is_answered_every_few_cycles(channels, cycles):
    """One read in 3 cycles, one write in 2."""
    pair = Pair(Config(dim=3).control)
    offers = {f"{channel}valid": 1 for channel in channels} | {"wstrb": 15}
    outputs = [pair.step(**offers) for _ in range(120)]
    answer = "rvalid" if channels == ("ar",) else "bvalid"
    came = [cycle for cycle, values in enumerate(outputs) if values[answer]]
    assert {second - first for first, second in itertools.pairwise(came)} == {cycles}


def test_reads_and_writes_at_full_speed_share_the_port():
    """One of each in 3 cycles."""
    pair = Pair(Config(dim=3).control)
    offers = dict.fromkeys(("arvalid", "awvalid", "wvalid"), 1) | {"wstrb": 15}
    outputs = [pair.step(**offers) for _ in range(300)]
    reads, writes = (sum(values[name] for values in outputs) for name in ("rvalid", "bvalid"))
    assert 98 <= reads <= 100 and 98 <= writes <= 100


def test_a_partial_write_keeps_the_other_bytes():
    """n = 10 has bits in two bytes; without a strobe nothing is written, and the answer is the same."""
    pair = Pair(Config(dim=10).control)
    for address, data, strobe, want in (
        (0, 0x3A5, 15, 0x3A5),
        (1, 0x0000_0200, 2, 0x2A5),
        (0, 0xFFFF_FF11, 1, 0x211),
        (0, 0xFFFF_FFFF, 12, 0x211),
        (0, 0, 0, 0x211),
        (2, 0, 2, 0x011),
    ):
        assert pair.write(address, data, strobe)[0] == OKAY
        assert pair.port.fault == want


@pytest.mark.parametrize("name", ["n2", "fault_free"])
def test_slverr_where_no_register_is(name):
    """Every number: reads are refused where the map has nothing, writes where it has nothing to write."""
    registers = register_map(CORNERS[name].control)
    readable, changeable = known(registers), writable(registers)
    pair = Pair(CORNERS[name].control)
    for number in range(128):
        assert pair.read(number) == (0, OKAY if number in readable else SLVERR, 3)
        assert pair.write(4 * number, 0)[0] == (OKAY if number in changeable else SLVERR)
        assert pair.write(4 * number + 3, 0, strobe=0)[0] == (OKAY if number in changeable else SLVERR)


def test_any_strobe_removes_a_log_entry_and_none_does_not():
    """LOG holds two entries."""
    pair = Pair(Config(dim=3).control)
    for reason in (1, 2):
        pair.step(events={"report_valid": 1, "report_reason": reason})
    for strobe, left in ((0, 2), (8, 1), (15, 0)):
        pair.write(4 * Register.LOG, 0, strobe)
        assert len(pair.port.log) == left


def test_address_and_data_may_come_in_any_order():
    """Data long before the address, and the other way round."""
    for first, second in (("w", "aw"), ("aw", "w")):
        pair = Pair(Config(dim=3).control)
        payload = {"aw": {"awaddr": 0, "awvalid": 1}, "w": {"wdata": 6, "wstrb": 15, "wvalid": 1}}
        pair.step(**payload[first])
        for _ in range(5):
            assert not pair.step()["bvalid"]
        pair.step(**payload[second])
        pair.step()
        assert pair.step()["bvalid"] and pair.port.fault == 6


class Plain:
    """The golden slave in front of registers that read 0x44332211; what is written to them is kept."""

    def __init__(self, config):
        self.slave, self.written = AxiControl(config), []

    def write(self, number, data, strobe):
        """Write a register, and return the response."""
        offer = {"s_axi_awaddr": 4 * number, "s_axi_awvalid": 1}
        offer |= {"s_axi_wdata": data, "s_axi_wstrb": strobe, "s_axi_wvalid": 1}
        for _ in range(6):
            request = self.slave.request()
            if request.write:
                self.written.append(request[::2])
            outputs = self.slave.step({"s_axi_bready": 1, "control__read_data": 0x44332211, **offer})
            if outputs["s_axi_bvalid"]:
                return outputs["s_axi_bresp"]
            offer = {}
        raise AssertionError("no answer")


def test_a_partial_write_where_a_one_does_something_has_zeros():
    """A byte of IRQ_STATUS clears no interrupts of the others."""
    node = Plain(of_node(NODE))
    assert node.write(Interface.IRQ_STATUS, 0xAABBCCDD, 2) == OKAY
    assert node.write(Interface.IRQ_ENABLE, 0xAABBCCDD, 2) == OKAY
    assert node.written == [(Interface.IRQ_STATUS, 0xCC00), (Interface.IRQ_ENABLE, 0x4433CC11)]


@pytest.mark.parametrize("strobe", range(16))
def test_only_whole_words_are_written_where_something_else_is_read(strobe):
    """No doorbell rings with a number of places in its address, no seed is mixed with an older one."""
    want = OKAY if strobe in (0, 15) else SLVERR
    (slave,) = axi_of_adapter(AdapterConfig(router=CrosspointConfig(dim=2))).slaves
    node, adapter = Plain(of_node(NODE)), Plain(slave.config)
    for each in Instruction:
        assert node.write(Interface.PLACES + each, 0xAABBCCDD, strobe) == want
    assert adapter.write(Adapter.SEED, 0xAABBCCDD, strobe) == want
    assert len(node.written) == (strobe == 15) * len(Instruction) and len(adapter.written) == (strobe == 15)


@pytest.mark.formal
@pytest.mark.parametrize("name", ["n2", "fault_free", pytest.param("n5", marks=pytest.mark.soak)])
def test_axi_control_is_proven(name):
    """Answers stay until they are taken, one for each request, within the bounds, for all time."""
    formal.prove(AxiControlSpec(CORNERS[name].control), depth=10, unroll=False)


@pytest.mark.formal
def test_bytes_that_are_not_strobed_are_proven():
    """The same of a node's registers, of which some are zeroed or whole."""
    formal.prove(AxiControlSpec(of_node(NODE)), depth=10, unroll=False)


@pytest.mark.formal
@pytest.mark.parametrize("meddle", FILLED)
def test_bytes_that_nobody_wrote_are_refuted(meddle):
    """An interrupt that is cleared, a doorbell that rings with what was read, are found."""
    formal.prove(AxiControlSpec(of_node(NODE), meddle), mode="bmc", depth=10, expect="fail")


@pytest.mark.formal
def test_the_bounds_of_axi_control_are_reached():
    """No smaller ones would hold, that of a read while the answer to a write waits."""
    formal.prove(AxiControlSpec(CORNERS["n2"].control), mode="cover", depth=10)


@pytest.mark.formal
@pytest.mark.parametrize("meddle", MEDDLERS)
def test_spoilt_axi_control_is_refuted(meddle):
    """Answers that are withdrawn, wait for ready, do not come, or are wrong are found."""
    formal.prove(AxiControlSpec(CORNERS["n2"].control, meddle), mode="bmc", depth=10, expect="fail")
