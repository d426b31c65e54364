"""Messages between the processors of RTL nodes: each comes as it was sent, and a campaign notices when one does not."""

import json
import re

import pytest

from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.tb.campaigns.messages.__main__ import main
from cubecast.tb.campaigns.messages.run import Messages, run
from cubecast.tb.harness.verilog import verilog_of
from tests.harness.seed import drawn
from tests.node.corners import CORNERS

pytestmark = pytest.mark.cosim

SMALL = NodeConfig(
    router=PacketConfig(dim=2, rows=5), buffers=2, reserved=1, buffer_bytes=96, eager=2, tracked=2, hash_bits=1
)

NETWORK = "cubecast.rtl.node.node_network:NodeNetwork"

BROKEN = {
    "a message passes those that were postponed": (r"(assign first__behind) = .*;", r"\1 = 0;", "wrong", "overtaken"),
    "the first offer behind a REWIND is not known": (
        r"(assign first__mark) = .*;",
        r"\1 = 0;",
        "standstill",
        "has come",
    ),
    "bytes behind a message are written": (
        r"(writer__strobe) = word_writer__writer__strobe;",
        r"\1 = 4'hf;",
        "wrong",
        "beside",
    ),
}
"""What is changed in the Verilog of a unit, the outcome, and what is said."""


@pytest.mark.core
def test_thousands_of_messages():
    """Between four nodes with one buffer each, as fast as they can, in the build of their lockstep runs."""
    result = run(CORNERS["one_buffer"], Messages(messages=2000, stall=0.0, longest=40, steady=True), engine="lockstep")
    assert result["outcome"] == "drained", result["text"]
    assert result["messages"] == 2000 and result["deliveries"] > 2000, result
    seen = ("broadcasts", "neighbours", "truncated", "lent", "without_buffer", "unexpected", "postponed", "rewinds")
    assert all(result[name] > 10 for name in seen) and result["compared"] > 1000, result
    print(f"{result['deliveries']:,} messages received in {result['clocks']:,} cycles")


@pytest.mark.soak
@pytest.mark.parametrize("seed", drawn(1))
def test_half_a_million_messages(capsys, seed):
    """Between eight nodes with two buffers each, in eight cubes at once; one message in four to one node of each."""
    assert main(["--messages", "500000", "--cubes", "8", "--seed", str(seed), "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["messages"] == 500_000 and result["deliveries"] > 500_000
    seen = ("broadcasts", "neighbours", "truncated", "lent", "without_buffer", "compared")
    assert all(result[name] > 500 for name in (*seen, "unexpected", "postponed", "rewinds")), result


@pytest.mark.soak
@pytest.mark.parametrize("seed", drawn(1))
def test_both_engines_say_the_same(seed):
    """Gates of the nodes, and the network as Verilator translates it: the same accesses to memory in all cycles."""
    sent = Messages(messages=1000, seed=seed)
    gates, translated = (run(CORNERS["one_buffer"], sent, engine=engine) for engine in ("parallel", "verilator"))
    assert gates["outcome"] == "drained" and gates["deliveries"] > 1000, gates
    assert {**gates, "seconds": 0} == {**translated, "seconds": 0}


@pytest.mark.soak
@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_node_is_noticed(name):
    """Soon, and for what it does."""
    pattern, instead, outcome, said = BROKEN[name]
    verilog, changes = re.subn(pattern, instead, verilog_of(NETWORK, SMALL))
    assert changes == 1
    result = run(SMALL, Messages(messages=20_000, patience=20_000), verilog=verilog, engine="verilator")
    assert result["outcome"] == outcome and said in result["text"], result["text"]


@pytest.mark.parametrize(
    ("words", "line"),
    {
        "--messages 0": "messages must be an integer from 1 to 1000000000, not 0",
        "--cubes 3": "cubes must be one of 1, 2, 4, 8, 16, not 3",
        "--cubes 16": "cubes must be at most 8 with dim = 3 and the engine 'parallel', not 16",
        "--dim 7": "dim must be at most 6 with the engine 'parallel', not 7",
        "--cubes 2 --engine verilator": "cubes must be at most 1 with dim = 3 and the engine 'verilator', not 2",
    }.items(),
)
def test_bad_usage(capsys, words, line):
    """One line, status 2."""
    assert main(words.split()) == 2
    assert capsys.readouterr().err.endswith(f"{line}\n")
