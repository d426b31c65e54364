"""Saturated networks: nothing is lost or doubled whatever fails, and a campaign notices when it is."""

import json
import re

import pytest

from cubecast.golden.multicast.contract.config import POLICIES, Config
from cubecast.tb.campaigns.saturation.__main__ import main
from cubecast.tb.campaigns.saturation.build import network
from cubecast.tb.campaigns.saturation.run import FAULTS, Campaign, run
from cubecast.tb.harness.modules import module_of

pytestmark = pytest.mark.cosim

SMALL = {
    "greedy": Config(dim=2, max_dest=1),
    "ordered": Config(dim=2, max_dest=1, max_list=1, policy="ordered"),
}
"""One has lists that are too long for the multicaster, the other lists that are too long altogether."""

MALFORMED = {
    "greedy": {"K_ZERO", "HEADER_SHORT", "ADDRESS_BITS", "DATA_TOO_LONG"},
    "ordered": {"K_ZERO", "HEADER_SHORT", "ADDRESS_BITS", "DATA_TOO_LONG", "LIST_TOO_LONG"},
}

CUT = {"UNDELIVERABLE", "COPY_CUT", "INPUT_CUT"}


@pytest.mark.core("greedy")
@pytest.mark.parametrize("policy", POLICIES)
def test_saturated_network(policy):
    """4 nodes, links and nodes that fail and are repaired at any time: delivered once, or reported; drained."""
    result = run(SMALL[policy], Campaign(messages=20_000, faults="live", malformed=0.05), speed="build")
    assert (result["outcome"], result["messages"]) == ("drained", 20_000), result["text"]
    assert set(result["reports"]) - {"NO_LANE"} == MALFORMED[policy] | CUT
    assert result["deliveries"] > 10_000 and result["cut_off"] > 100


@pytest.mark.soak
def test_sixteen_saturated_nodes_soak():
    """20,000 cycles of all kinds of messages through the default network: all delivered once, drained."""
    result = run(Config(dim=4), Campaign(messages=5000), speed="build")
    assert (result["outcome"], result["messages"]) == ("drained", 5000), result["text"]
    assert result["clocks"] > 20_000 and result["deliveries"] > 20_000 and result["reports"] == {}


@pytest.mark.parametrize("faults", ["none", "rule"])
def test_reports_where_nothing_fails_meanwhile(faults):
    """Malformed messages alone are reported, and faulty nodes."""
    result = run(SMALL["greedy"], Campaign(messages=20_000, faults=faults, malformed=0.05), speed="build")
    assert result["outcome"] == "drained", result["text"]
    assert set(result["reports"]) == MALFORMED["greedy"] | ({"UNDELIVERABLE"} if faults == "rule" else set())
    assert result["cut_off"] == 0


@pytest.mark.core
def test_verilator_comes_to_the_same():
    """To the cycle: the gates of the bit-parallel engine, and the network as lockstep runs have it."""
    campaign = Campaign(messages=600, faults="live", malformed=0.05, seed=2)
    both = [run(SMALL["greedy"], campaign, engine=engine, speed="build") for engine in ("parallel", "lockstep")]
    for result in both:
        assert result.pop("seconds") >= 0
    assert both[0] == both[1] and both[0]["outcome"] == "drained"
    assert set(both[0]["reports"]) == MALFORMED["greedy"] | CUT and both[0]["deliveries"] > 300


@pytest.mark.soak
def test_verilator_comes_to_the_same_soak():
    """To the cycle."""
    campaign = Campaign(messages=2000, faults="live", malformed=0.05, seed=2)
    both = [run(SMALL["greedy"], campaign, engine=engine, speed="build") for engine in ("parallel", "verilator")]
    for result in both:
        assert result.pop("seconds") >= 0
    assert both[0] == both[1] and both[0]["outcome"] == "drained"


def test_one_lane_comes_to_a_standstill(capsys):
    """The dissertation's router deadlocks; the campaign says so, and what is owed."""
    assert main(["--dim", "2", "--lanes", "1", "--messages", "20000", "--json"]) == 1
    result = json.loads(capsys.readouterr().out)
    assert result["outcome"] == "standstill" and result["clocks"] < 200_000
    assert re.search(r"no word has moved for 10000 cycles, \d processors cannot send; owed: node ", result["text"])


BROKEN = {
    "rows of a copy that was cut do not come back": (
        "multicast_output_module",
        r"assign restore_rows = .*;",
        "assign restore_rows = 0;",
        ("standstill", r"0 processors cannot send; owed: node \d: \d+ messages"),
    ),
    "a unit is free before its reports are out": (
        "multicast_reporter",
        r"assign idle = .*;",
        "assign idle = 1;",
        ("wrong|standstill", r"which it had|which nobody sent|owed: node"),
    ),
}
"""Module, what is replaced in its Verilog by what, and how that shows."""


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_network_is_found(name):
    """Designs with one line changed."""
    module, pattern, replacement, (outcome, text) = BROKEN[name]
    verilog = network(SMALL["greedy"])
    found = re.search(rf"^module {module_of(verilog, module)}\(.*?^endmodule", verilog, re.S | re.M)
    body, count = re.subn(pattern, replacement, found.group())
    assert count == 1
    broken = verilog[: found.start()] + body + verilog[found.end() :]
    result = run(SMALL["greedy"], Campaign(messages=20_000, faults="live"), verilog=broken, speed="build")
    assert re.fullmatch(outcome, result["outcome"]) and re.search(text, result["text"]), result


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--dim", "7"], "dim must be an integer from 2 to 6 here, not 7"),
        (["--dim", "3", "--messages", "0"], "messages must be an integer from 1 to 100000000, not 0"),
        (["--dim", "3", "--seed", "-1"], "seed must be an integer from 0 to 18446744073709551615, not -1"),
        (["--dim", "3", "--malformed", "2"], "malformed must be a number from 0 to 1, not 2.0"),
        (["--dim", "3", "--malformed", "x"], "argument --malformed: must be a number from 0 to 1, not 'x'"),
        (["--dim", "3", "--width", "8"], "width must be an integer from 20 to 64 here, so that a word can name"),
        (["--dim", "3", "--mix", "0,1,1,0"], "mix must be four integers from 0 to 1000, unicast or broadcast above 0"),
        (["--dim", "3", "--mix", "1,1"], "mix must be four integers from 0 to 1000, unicast or broadcast above 0"),
        (["--dim", "3", "--mix", "1,b"], "argument --mix: must be an integer"),
        (["--dim", "3", "--fault-free", "--faults", "live"], "faults must be none when fault_tolerant is False"),
        (["--dim", "3", "--faults", "some"], "argument --faults: invalid choice: 'some'"),
    ],
)
def test_bad_usage_is_one_line(capsys, arguments, message):
    """And status 2."""
    status = main(arguments)
    text = capsys.readouterr().err
    assert status == 2
    assert text.startswith(f"python -m cubecast.tb.campaigns.saturation: {message}") and text.count("\n") == 1


def test_help_says_what_is_checked(capsys):
    """With examples and the exit status."""
    assert main(["--help"]) == 0
    text = capsys.readouterr().out
    assert "exit status" in text and "examples:" in text and all(faults in text for faults in FAULTS)


@pytest.mark.soak
@pytest.mark.parametrize("faults", FAULTS)
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(("dim", "messages"), [(3, 400_000), (4, 100_000), (5, 100_000)])
def test_saturation_soak(dim, messages, policy, faults):
    """400,000 messages through 8 nodes, and 100,000 through more of them."""
    campaign = Campaign(messages=messages, faults=faults, malformed=0.01)
    result = run(Config(dim=dim, policy=policy), campaign)
    assert result["outcome"] == "drained", result["text"]


@pytest.mark.soak
@pytest.mark.parametrize(
    "parameters",
    [
        {"dim": 3, "fault_tolerant": False},
        {"dim": 3, "fault_tolerant": False, "policy": "ordered"},
        {"dim": 3, "source_field": True},
        {"dim": 4, "max_dest": 3, "max_list": 9, "max_data": 3, "source_field": True, "policy": "ordered"},
        {"dim": 4, "max_dest": 14, "max_data": 40, "width": 64, "lanes": 5},
        {"dim": 2, "max_data": 0, "log_depth": 1},
    ],
    ids=str,
)
def test_saturation_of_other_formats_soak(parameters):
    """Every format of the header, and other limits."""
    config = Config(**parameters)
    for faults in FAULTS if config.fault_tolerant else FAULTS[:1]:
        result = run(config, Campaign(messages=100_000, faults=faults, malformed=0.05, seed=3))
        assert result["outcome"] == "drained", result["text"]


@pytest.mark.soak
@pytest.mark.parametrize("policy", POLICIES)
def test_saturation_by_verilator_soak(policy):
    """Fifty thousand messages through 8 nodes: the same to the cycle."""
    campaign = Campaign(messages=50_000, faults="live", malformed=0.01, seed=4)
    both = [run(Config(dim=3, policy=policy), campaign, engine=engine) for engine in ("parallel", "verilator")]
    for result in both:
        assert result.pop("seconds") >= 0
    assert both[0] == both[1] and both[0]["outcome"] == "drained"
