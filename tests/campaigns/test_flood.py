"""Saturated packet networks: nothing is lost or doubled, and a flood notices when it is."""

import dataclasses
import json
import re

import pytest

from cubecast.golden.packet.contract.config import LINKS, ROUTINGS, PacketConfig
from cubecast.tb.campaigns.flood.__main__ import main
from cubecast.tb.campaigns.flood.run import Flood, run
from cubecast.tb.harness.modules import module_of
from cubecast.tb.harness.verilog import verilog_of

pytestmark = pytest.mark.cosim

ROUTER = "cubecast.rtl.packet.router:PacketRouter"
SMALL = PacketConfig(dim=2, rows=2, max_words=4)
LARGE = PacketConfig(dim=4)
FULL = PacketConfig(dim=3, rows=5, max_words=7)
"""Eight nodes with buffers that are always full, and small enough to be compiled soon."""


def drained(config, flood):
    """Flood a network that must drain; return the result."""
    result = run(config, flood)
    assert result["outcome"] == "drained", result["text"]
    assert result["deliveries"] > result["packets"] and result["broadcasts"] > 0
    assert (result["contrary"] > 0) == (config.routing == "quasi-adaptive" and not flood.fixed)
    return result


@pytest.mark.parametrize("routing", ROUTINGS)
@pytest.mark.parametrize("link", LINKS)
def test_flood(link, routing):
    """8 nodes, 50,000 cycles with more to send than the network takes; then it drains. One network, both routings."""
    result = drained(dataclasses.replace(FULL, link=link), Flood(fixed=routing == "fixed"))
    assert result["deliveries"] > (4000 if link == "serial" else 20_000)


def test_flood_of_small_buffers_on_serial_links():
    """Two rows: contrary packets are refused all the time."""
    drained(dataclasses.replace(SMALL, link="serial"), Flood(seed=2))


def test_verilator_says_the_same_of_small_buffers():
    """The gates of the bit-parallel engine, and the network as lockstep runs have it: the same counts and latencies."""
    config, flood = dataclasses.replace(SMALL, link="serial"), Flood(cycles=4000, seed=2)
    gates, translated = (run(config, flood, engine=engine) for engine in ("parallel", "lockstep"))
    assert {**gates, "seconds": 0} == {**translated, "seconds": 0}
    assert gates["outcome"] == "drained" and gates["deliveries"] > 200 and gates["contrary"] > 0


@pytest.mark.soak
@pytest.mark.parametrize("link", LINKS)
def test_both_engines_say_the_same(link):
    """Gates of the routers, and the network as Verilator translates it: the same counts and latencies."""
    config = dataclasses.replace(FULL, link=link)
    gates, translated = (run(config, Flood(seed=3), engine=engine) for engine in ("parallel", "verilator"))
    assert {**gates, "seconds": 0} == {**translated, "seconds": 0}


@pytest.mark.soak
@pytest.mark.parametrize("rows", [2, 3, 13])
@pytest.mark.parametrize("routing", ROUTINGS)
@pytest.mark.parametrize("link", LINKS)
def test_flood_soak(link, routing, rows):
    """Three hundred thousand cycles."""
    drained(dataclasses.replace(LARGE, link=link, routing=routing, rows=rows), Flood(cycles=300_000, seed=rows))


def test_without_the_contrary_rule_it_comes_to_a_standstill(capsys):
    """Rows full of contrary packets that wait for each other; the command says so."""
    assert main(["--dim", "3", "--rows", "2", "--no-contrary-rule", "--json"]) == 1
    result = json.loads(capsys.readouterr().out)
    assert result["outcome"] == "standstill" and result["clocks"] < 50_000
    assert re.search(r"no word has moved for 10000 cycles, \d+ packets are owed", result["text"])


@pytest.mark.soak
def test_with_the_contrary_rule_it_does_not_soak():
    """The same network, the same packets."""
    drained(PacketConfig(dim=3, rows=2), Flood())


def test_bad_usage(capsys):
    """One line, status 2."""
    assert main(["--dim", "3", "--rows", "1"]) == 2
    assert "rows must be an integer from 2 to 64 when routing is quasi-adaptive, not 1" in capsys.readouterr().err


BROKEN = {
    "rows do not come back": ("parallel", r"assign cam__free = .*;", "assign cam__free = 0;", "standstill"),
    "reading passes writing": (
        "serial",
        r"assign output_controller__limited = .*;",
        "assign output_controller__limited = 0;",
        "wrong",
    ),
}
"""Kind of links, what is replaced in the packet buffer unit's Verilog by what, and how that shows."""


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.soak if link == "parallel" else ()) for name, (link, *_) in BROKEN.items()],
)
def test_a_broken_network_is_noticed(name):
    """Lost rows and wrong words are found."""
    link, found, replaced, outcome = BROKEN[name]
    config = dataclasses.replace(SMALL, link=link)
    verilog = verilog_of(ROUTER, config)
    start = verilog.index(f"module {module_of(verilog, 'packet_buffer_unit')}(")
    end = verilog.index("endmodule", start)
    body, count = re.subn(found, replaced, verilog[start:end])
    assert count == 1
    result = run(config, Flood(cycles=20_000), verilog=verilog[:start] + body + verilog[end:])
    assert result["outcome"] == outcome, result["text"]
