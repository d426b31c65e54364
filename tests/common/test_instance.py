"""Modules of a design: what they are called, and routers of several systems and sizes in one design."""

from __future__ import annotations

import gc
import re
from pathlib import Path

import pytest

from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.common.contract.units import Requests
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.multicast.contract.config import Config
from cubecast.rtl.common import verilog
from cubecast.rtl.common.amaranth_private import Matches
from cubecast.rtl.common.arbiter import Arbiter
from cubecast.rtl.common.instance import Modules, module_name
from cubecast.rtl.common.verilog import WAIVERS, _renumbered, guarded, write
from cubecast.rtl.crosspoint.network import CrosspointNetwork
from cubecast.rtl.crosspoint.router import CrosspointRouter
from cubecast.rtl.multicast.output_gateway import OutputGateway
from cubecast.rtl.multicast.router import Router
from cubecast.rtl.packet.router import PacketRouter
from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.harness.modules import module_of
from tests.common.many_routers import BENCH, CLOCKS, configs_of
from tests.common.many_routers_rtl import KINDS, ManyRouters
from tests.harness.lint import linted

CONFIG = Config(dim=3)

UNCLEAR = "^unit must be one that the design has with one set of parameters, not 'multicast_router'"


def test_names_carry_system_and_parameters() -> None:
    """Numbers as they are, configurations as a digest, nothing twice."""
    assert module_name(Arbiter, Requests(count=5)) == module_name(Arbiter, 5) == "cubecast_arbiter_5"
    assert module_name(PacketRouter) == "cubecast_packet_router"
    assert module_name(OutputGateway, local=True) == "cubecast_multicast_output_gateway_local"
    assert re.fullmatch(r"cubecast_multicast_router_[0-9a-f]{8}", module_name(Router, CONFIG))
    names = {module_name(Router, Config(dim=n)) for n in range(2, 11)}
    assert len(names) == 9
    assert module_name(Router, Config(dim=3)) in names
    # A parameter that came later counts where it is not the default, also in a part.
    for said in (Config(dim=3), CollectiveConfig(router=Config(dim=3))):
        given = type(said).from_json(said.to_json() | {"memories": "block"})
        assert module_name(Router, given) != module_name(Router, said) and repr(given) == repr(said)


def test_a_parameter_must_have_a_value() -> None:
    """An object that is different in every process would make a name that is."""
    with pytest.raises(ValueError, match=r"^parameters must be values, not =builtins\.<object object at 0x"):
        module_name(Router, object())


def test_a_name_stands_for_one_unit() -> None:
    """Another unit of the same name and package is refused."""
    modules = Modules()
    name, *_ = modules.define(OutputGateway, (CONFIG,), {})
    assert modules.define(OutputGateway, (Config(dim=3),), {})[0] == name
    other = type("OutputGateway", (OutputGateway,), {"__module__": OutputGateway.__module__})
    with pytest.raises(ValueError, match=f"^name must stand for one unit with one set of parameters, not {name} for "):
        modules.define(other, (CONFIG,), {})


def test_the_text_does_not_depend_on_what_was_written_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """A router within its network, its modules taken from one that was written before, or made with the network."""
    config = CrosspointConfig(dim=2)
    monkeypatch.setattr(verilog, "_kept", {})
    write(CrosspointRouter(config))
    later = write(CrosspointNetwork(config))
    monkeypatch.setattr(verilog, "_kept", {})
    assert "$auto$" in later and write(CrosspointNetwork(config)) == later


def test_a_netlist_is_freed_when_it_is_converted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a search for garbage."""

    def there() -> int:
        return sum(isinstance(each, Matches) for each in gc.get_objects())

    monkeypatch.setattr(verilog, "_kept", {})
    gc.collect()
    gc.disable()
    try:
        before = there()
        write(OutputGateway(CONFIG))
        assert there() == before
    finally:
        gc.enable()


def test_nets_that_yosys_names_have_numbers_and_places_of_their_own() -> None:
    """The same ones, whether its count has come to two digits, as after 9, or to three."""

    def module(used: int, *order: int) -> str:
        nets = [rf"\$auto$rtlil.cc:3245:Not${number} " for number in order]
        wires, assigns = ([f"  {what};" for what in texts] for texts in zip(*map(declared, nets), strict=True))
        said = rf"  assign b = \$auto$rtlil.cc:3245:Not${used} ;"
        return "\n".join(["module m(b);", *wires, "  wire [1:0] b;", said, *assigns, "endmodule"])

    def declared(net: str) -> tuple[str, str]:
        return f"wire [1:0] {net}", f"assign {net} = 2'h1"

    assert _renumbered(module(9, 10, 11, 9)) == _renumbered(module(98, 98, 99, 100)) == module(1, 1, 2, 3)


@pytest.fixture(scope="module")
def design() -> str:
    """Return the Verilog of the design that holds all routers."""
    return write(ManyRouters(CONFIG), "top")


def test_one_design_holds_all_routers(design: str, tmp_path: Path) -> None:
    """Each module is there once, every router's own, and Verilator has nothing to say."""
    names = re.findall(r"^module (\w+)\(", design, re.M)
    assert len(names) == len(set(names))
    for each in configs_of(CONFIG).values():
        assert names.count(module_name(KINDS[type(each)], each)) == 1
    (tmp_path / "top.v").write_text(design)
    assert linted(tmp_path, *(f"-Wno-{rule}" for rule in WAIVERS), "--top-module", "top", "top.v") == (0, "")


def test_another_first_word_changes_the_names_alone() -> None:
    """All modules, the order of which stays; a guard for each but the top one."""
    one, other = (write(Router(Config(dim=2)), f"{word}_router", prefix=word) for word in ("cubecast", "zebra"))
    assert other == one.replace("cubecast_", "zebra_")
    names = re.findall(r"^module (\w+)\(", one, re.M)
    assert "cubecast_router" in names and "cubecast_arbiter_3" in names
    text = guarded(one, "cubecast_router")
    assert re.findall(r"^`ifndef (\w+)_v$", text, re.M) == [name for name in names if name != "cubecast_router"]
    assert re.sub(r"^`.*\n", "", text, flags=re.M) == re.sub(r"^`.*\n", "", one, flags=re.M)


def test_a_module_is_found_by_its_unit(design: str) -> None:
    """Where there are several, none is meant."""
    with pytest.raises(ValueError, match=UNCLEAR):
        module_of(design, "multicast_router")
    small, large = (module_name(Router, configs_of(CONFIG)[f"multicast_{n}"]) for n in (3, 4))
    assert module_of(design.replace(large, "other"), "multicast_router") == small


@pytest.mark.parametrize(
    "simulator", ["verilator", pytest.param("icarus", marks=pytest.mark.soak)], indirect=["simulator"]
)
def test_a_message_goes_through_every_router(simulator: str) -> None:
    """All in one simulation, in lockstep with their twins."""
    lockstep(BENCH, CONFIG, simulator=simulator, cycles=CLOCKS)
