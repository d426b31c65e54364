"""Arbiters in recordings: the order is the one in which units are served, in every cycle, and the page shows it."""

import random

import pytest

from cubecast.golden.common.contract.units import Requests
from cubecast.golden.common.twins.arbiter import Arbiter
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.twins.output_gateway import OutputGateway
from cubecast.golden.multicast.twins.policy import policy_of
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.twins.tree_arbiter import TreeArbiter
from tests.explorer.explored import record
from tests.explorer.test_page import rows
from tests.explorer.test_recording import entries

ROUTERS = {
    "multicast": Config(dim=3),
    "ordered": Config(dim=3, policy="ordered"),
    "crosspoint": CrosspointConfig(dim=3),
    "packet": PacketConfig(dim=3),
    "packet fault-free": PacketConfig(dim=3, fault_tolerant=False),
}


def first_of(order, request):
    """Return who of those that request stands first in an order, -1 if nobody requests."""
    return next((each for each in order if request >> each & 1), -1)


@pytest.mark.parametrize("count", [1, 2, 3, 5, 8, 13])
def test_the_order_of_an_arbiter_says_whom_it_grants(count):
    """Whatever was granted before, and whoever requests."""
    source = random.Random(count)
    robin, tree = Arbiter(Requests(count=count)), TreeArbiter(PacketConfig(dim=3), count=count)
    for _ in range(300):
        request = source.randrange(1 << count)
        for arbiter in (robin, tree):
            assert sorted(arbiter.order()) == [*range(count)]
            assert arbiter.grant(request) == first_of(arbiter.order(), request)
        if request and source.random() < 0.8:
            robin.advance(robin.grant(request))
            tree.advance(request, tree.grant(request))


@pytest.mark.parametrize("policy", ["greedy", "ordered"])
@pytest.mark.parametrize("local", [False, True])
def test_the_order_of_a_gateway_says_whom_it_chooses(policy, local):
    """At nodes of all kinds: the groups' arbiters behind one another, without units that cannot go on there."""
    config, source, left_out = Config(dim=3, policy=policy), random.Random(1), 0
    for address in range(config.nodes):
        gateway = OutputGateway(config, local)
        gateway.strap(policy_of(config).gateway_strap(address, config.local if local else 1))
        for _ in range(100):
            want, order = source.randrange(1 << config.units), gateway.order()
            left_out += config.units - len(order)
            chosen = gateway.choose(want, (1 << config.lanes) - 1)
            assert chosen == first_of(order, want)
            if chosen >= 0 and source.random() < 0.8:
                gateway.edge(chosen, 1, 1)
    assert (left_out > 0) == (not local)


def crowded(folder, config):
    """Record a run in which many messages want the same outputs."""
    source, values = random.Random(6), []
    for index in range(60):
        node = source.randrange(8)
        others = source.sample([other for other in range(8) if other != node], source.randint(1, 3))
        values.append({"source": node, "destinations": others, "data": [index] * source.randint(1, 5)})
    return record(folder, config, values, stall=0.3)[1:]


def alike(config, unit, other):
    """Return whether a link that is ready for one of two units is known to be ready for the other, too."""
    if isinstance(config, Config):
        return config.policy == "greedy" and unit % config.lanes == other % config.lanes
    return isinstance(config, PacketConfig)


@pytest.mark.parametrize("name", ROUTERS)
def test_who_is_served_stood_before_all_that_wait(tmp_path, name):
    """Who is served goes to the end of the order; in the cycle before nobody that waited stood before it."""
    config = ROUTERS[name]
    header, events = crowded(tmp_path, config)
    arbiters, units = header["arbiters"], header["units"]
    waiting = {}
    for cycle, node, unit, port, *_, count in entries(events, "waits"):
        for at in range(cycle, cycle + count):
            waiting.setdefault((at, node, port), set()).add(unit)
    orders, contests = {}, 0
    for cycle, node, arbiter, order in entries(events, "arbiters"):
        called, port = arbiters[arbiter]
        before = orders.get((node, arbiter))
        orders[node, arbiter] = order
        assert before is None or (sorted(before) == sorted(order) and before != order)
        if before is None:
            assert cycle == 0 and all(0 <= unit < len(units) for unit in order)
            continue
        served, places = order[-1], {unit: place for place, unit in enumerate(before)}
        for unit in waiting.get((cycle - 1, node, port), set()) - {served}:
            if port == config.local or alike(config, served, unit):
                contests += 1
                assert places[served] < places[unit], (cycle, node, called)
    assert len(orders) == 8 * len(arbiters) and contests > (0 if name == "ordered" else 20)
    last = {(node, unit): fields for _, node, unit, fields in entries(events, "units")}
    assert not any(last.values())


@pytest.mark.parametrize("name", ["multicast", "crosspoint", "packet"])
def test_the_page_of_a_node_tells_whom_its_arbiters_serve_next(browser, tmp_path, name):
    """Every arbiter, with its order in this cycle, and the first of those that wait."""
    config = ROUTERS[name]
    header, events = crowded(tmp_path, config)
    waits = [e for e in entries(events, "waits") if e[3] in [port for _, port in header["arbiters"]]]
    cycle, node = max(
        ((e[0] + e[-1] // 2, e[1]) for e in waits),
        key=lambda at: sum(e[1] == at[1] and e[0] <= at[0] < e[0] + e[-1] for e in waits),
    )
    for at in (0, cycle):
        browser.open(tmp_path / "index.html", f"#cycle={at}&node={node}")
        orders = {e[2]: e[3] for e in entries(events, "arbiters") if e[1] == node and e[0] <= at}
        wanted, contested = [], 0
        for arbiter, (called, port) in enumerate(header["arbiters"]):
            wait = {e[2] for e in waits if e[1] == node and e[3] == port and e[0] <= at < e[0] + e[-1]}
            served = [header["units"][unit][0] for unit in orders[arbiter]]
            first = [header["units"][unit][0] for unit in orders[arbiter] if unit in wait]
            contested += len(first)
            wanted.append([called, first[0] if first else "", "; ".join(served)])
        assert rows(browser, f"arbiters in cycle {at}") == wanted
        assert browser.ask("document.querySelectorAll('#panel div:nth-of-type(3) td > b').length") == contested
        assert (contested > 1) == (at == cycle)
    browser.press("ArrowRight")
    caption = f"arbiters in cycle {cycle + 1}:"
    script = "[...document.querySelectorAll('#panel caption')].some((it) => it.textContent.startsWith('%s'))"
    browser.until(script % caption)


def test_a_detour_is_a_unit_of_the_packet_router(tmp_path):
    """An arbiter of its own says which slot has it, and an output serves it, its slot and all links but its own."""
    config = PacketConfig(dim=3)
    # Two links of node 0 are cut: packets in their slots go on over the third one.
    sent = [{"cycle": 3, "node": 0, "fault": [0, 1]}]
    sent += [{"source": 0, "destinations": [5 + turn % 2], "data": [turn] * 6} for turn in range(6)]
    _, header, events = record(tmp_path, config, sent)
    names = [name for name, _ in header["units"]]
    slots, detour = [names.index(f"buffer slot {j}") for j in range(3)], names.index("detour")
    own = [fields for _, node, unit, fields in entries(events, "units") if (node, unit) == (0, detour)]
    assert {tuple(fields) for fields in own} == {(slots[0],), (slots[1],), ()} and own[-1] == []
    found = {}
    for _, node, arbiter, order in entries(events, "arbiters"):
        found.setdefault((node, header["arbiters"][arbiter][0]), []).append(order)
    assert {len(orders) > 2 for (node, name), orders in found.items() if name == "detour"} == {True, False}
    assert len(found[0, "detour"]) > 2 and all(sorted(order) == slots for order in found[0, "detour"])
    buffers = [names.index(f"packet buffer unit {i}") for i in range(3)]
    for j in range(3):
        served = {slots[j], detour, *(unit for i, unit in enumerate(buffers) if i != j)}
        assert all({*order} <= served and detour in order for order in found[0, f"output {j}"])
    assert all(sorted(order) == buffers for order in found[0, "output to the node"])
