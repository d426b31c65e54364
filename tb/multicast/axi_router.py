"""Testbench of the router with AXI ports: the router's testbench, its processor replaced by AXI masters and a slave."""

from cubecast.golden.common.contract.control import Register
from cubecast.tb.common import axi_control
from cubecast.tb.common.patterns import moods
from cubecast.tb.harness.lockstep import Bench
from cubecast.tb.multicast import router

__all__ = ["BENCH"]

STREAM = {"valid": "tvalid", "data": "tdata", "last": "tlast", "error": "tuser", "ready": "tready"}
NAMES = {f"inject__{name}": f"s_axis_{axi}" for name, axi in STREAM.items()}
NAMES |= {f"eject__{name}": f"m_axis_{axi}" for name, axi in STREAM.items()}
PLAIN = {axi: name for name, axi in NAMES.items()}


def plain(values):
    """Return a cycle's values under the names that the router's testbench has for them."""
    named = {PLAIN.get(name, name): value for name, value in values.items()}
    if "s_axi_rvalid" in values:
        named["control__read_data"] = values["s_axi_rdata"] if values["s_axi_rvalid"] else 0
    return named


def stimulus(random, config):
    """Messages and faults as the router's testbench has them, and a master that reads and writes all the time."""
    inner, control = router.stimulus(random, config), {}
    master, outputs = axi_control.Master(random, config.control, faults=0.0), None
    drawing = moods(random, 60, **axi_control.MOODS)
    padding = -config.width % 8
    while True:
        wanted = next(inner) if outputs is None else inner.send(plain(outputs))
        change = {NAMES.get(name, name): value for name, value in wanted.items() if not name.startswith("control__")}
        if padding and "s_axis_tdata" in change:
            change["s_axis_tdata"] |= random.getrandbits(padding) << config.width
        control |= {name: value for name, value in wanted.items() if name.startswith("control__")}
        if control["control__write"] and control["control__address"] == Register.FAULT:
            master.order(control["control__write_data"])
        change |= master.next(outputs, next(drawing))
        outputs = yield change
        if change.get("rst"):
            master = axi_control.Master(random, config.control, faults=0.0)


def watch(inputs, outputs, twin):
    """Name what the router's testbench names, and the accesses."""
    yield from router.watch(plain(inputs), plain(outputs), twin.router)
    if not inputs["rst"]:
        yield from axi_control.accesses(inputs, outputs, twin.registers)
        if outputs["m_axis_tvalid"] and outputs["m_axis_tlast"] and outputs["m_axis_tuser"]:
            yield "delivery with error"


def events(config, extra, options):
    """Return what can happen with these parameters; what cuts of links meet inside is left to the router's bench."""
    inside = [name for name in router.events(config, extra, options) if "cut" not in name]
    return (*inside, *axi_control.EVENTS, "delivery with error")


BENCH = Bench(
    name="axi_router",
    component="cubecast.rtl.multicast.axi_router:AxiRouter",
    twin="cubecast.golden.multicast.twins.axi_router:AxiRouter",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
