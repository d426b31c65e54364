"""What is to be sent on has its turn, whatever a node sends itself, and though nothing of that goes out."""

# amaranth: UnusedElaboratable=no
import pytest

from cubecast.golden.adapter.contract.config import AdapterConfig
from cubecast.golden.adapter.contract.registers import ADDRESS_BITS, Register
from cubecast.golden.adapter.contract.word import AdapterReason
from cubecast.golden.adapter.twins.fault_list import Entry, Knowledge
from cubecast.golden.adapter.twins.network import AdapterNetwork
from cubecast.golden.adapter.twins.planner import Planner as GoldenPlanner
from cubecast.golden.adapter.twins.words import Chunk
from cubecast.golden.common.contract.units import DATA_BITS, REASON_BITS
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.word import Kind
from cubecast.rtl.adapter.planner import Planner
from cubecast.tb.adapter.messages import header
from cubecast.tb.common.patterns import item, pack
from cubecast.tb.harness.formal import prove
from tests.adapter.turns_spec import TurnsSpec
from tests.harness.altered import Altered

CONFIG = AdapterConfig(router=CrosspointConfig(dim=3, width=32), fault_entries=4)

VALID = 1 << 31
LINK_1_5 = VALID | 1 << 16 | 2 << 12 | 1
"""With this link in the list, what 1 sends to 5 goes over 0."""

NODE_7 = [VALID | 7]
LINKS_OF_7 = [VALID | 1 << 16 | dimension << 12 | 7 for dimension in range(3)]

CYCLES = 3000


def arrived(kind: Kind, words: int, listed: list[int]) -> tuple[int, set[AdapterReason]]:
    """Let 0 send to 7 without end, and 1 to 5; return how many messages 5 gets, and all reasons that are reported."""
    network, nodes = AdapterNetwork(CONFIG), CONFIG.nodes
    for place, fault in enumerate([LINK_1_5, *listed]):
        network.step(
            {
                "adapter_address": pack([Register.FAULT + place] * nodes, ADDRESS_BITS),
                "adapter_write": (1 << nodes) - 1,
                "adapter_write_data": pack([fault] * nodes, DATA_BITS),
            }
        )
    messages = {0: [header(CONFIG, kind, 7), *range(words)], 1: [header(CONFIG, Kind.UNICAST, 5), 5]}
    left, got, reasons = {node: list(message) for node, message in messages.items()}, 0, set()
    for _ in range(CYCLES):
        outputs = network.step(
            {
                "send_valid": 0b11,
                "send_data": pack([words[0] for words in left.values()], CONFIG.router.width),
                "send_last": pack([len(words) == 1 for words in left.values()], 1),
                "receive_ready": (1 << nodes) - 1,
            }
        )
        for node, words in left.items():
            if outputs["send_ready"] >> node & 1:
                left[node] = words[1:] or list(messages[node])
        got += outputs["receive_valid"] >> 5 & 1
        reasons |= {
            AdapterReason(item(outputs["report_reason"], node, REASON_BITS))
            for node in range(nodes)
            if outputs["report_valid"] >> node & 1
        }
    return got, reasons


@pytest.mark.parametrize(("kind", "words"), [(Kind.UNICAST, 1), (Kind.UNICAST, 9), (Kind.SUBCUBE, 400)])
@pytest.mark.parametrize(("listed", "least"), [(NODE_7, 90), (LINKS_OF_7, 15)])
def test_a_node_that_sends_in_vain_sends_on(kind: Kind, words: int, listed: list[int], least: int) -> None:
    """What has a way over it arrives, and is not dropped; fewer where it looks long for a way of its own."""
    got, reasons = arrived(kind, words, listed)
    assert reasons == {AdapterReason.NO_ROUTE}
    assert got >= least


WAIT = {(3, False): 16, (3, True): 13, (6, False): 43, (6, True): 37, (10, False): 47, (10, True): 37}
"""Dimension, and whether the destination is dead, to the most cycles that a packet waits: a row, and two jobs."""


@pytest.mark.parametrize(("dim", "dead"), WAIT)
def test_a_serial_message_lets_it_go_at_each_row(dim: int, dead: bool) -> None:
    """However many nodes there are, and whether the only destination has a route or not."""
    config = AdapterConfig(router=CrosspointConfig(dim=dim, width=40), fault_entries=1)
    planner, target = GoldenPlanner(config), config.nodes - 1
    faults = Knowledge((Entry(1, 0, target if dead else 3, 0),), 0, 0)
    chunk = Chunk(0, Kind.SUBCUBE, target, 0, 1, 1, 1, 0, 4, 0)
    gaps, last, ended = [], 0, 0
    for cycle in range(40 * config.nodes):
        planner.edge(chunk, 0, 5, True, faults, report_taken=True)
        ended += planner.chunk_taken
        if planner.relay_taken:
            gaps.append(cycle - last)
            last = cycle
    assert max(gaps) == WAIT[dim, dead]
    assert ended > 10


def small(**router: int) -> AdapterConfig:
    """Return the parameters of a node with a single row of nodes, unless others are given."""
    return AdapterConfig(
        router=CrosspointConfig(**{"dim": 2, "width": 8, "depth": 8, "packet_limit": 3} | router), fault_entries=1
    )


class FavoursOwn(Altered):
    """Own chunks go first."""

    unit = Planner

    def alter(self, m, inner):
        """Hide the packet while there is one."""
        m.d.comb += inner.relay.valid.eq(self.relay.valid & ~self.chunk.valid)
        return ("relay__valid",)


@pytest.mark.parametrize("config", [small(), small(dim=4, width=14)], ids=["one_row", "two_rows"])
def test_the_turn_is_proven(config: AdapterConfig) -> None:
    """No more than one chunk, and one row, goes before a packet that waits."""
    prove(TurnsSpec(config), mode="pdr")


def test_a_chunk_goes_before() -> None:
    """One does, and a row is left."""
    prove(TurnsSpec(small(dim=4, width=14)), mode="cover", depth=24)


def test_a_turn_that_is_not_given_is_refuted() -> None:
    """A node that has always something to send."""
    prove(TurnsSpec(small(), FavoursOwn), mode="bmc", depth=8, expect="fail")
