"""The packet network with messages from outside, and the simulator's packets beside it."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.study.checks import network_details
from cubecast.study.checks.cycle_accurate import Parcel, carry
from cubecast.study.checks.network_details import Details, simulate_details
from cubecast.study.checks.packet_traffic import (
    DELIVERY,
    HOP,
    PERIOD,
    ROUTINGS,
    in_detail,
    in_network,
    in_simulator,
    packet_messages,
)
from cubecast.study.checks.packets import DETAILS, CheckPackets, single_run
from cubecast.study.transport.machine import Machine
from cubecast.study.transport.traffic import Messages


def network(routing="fixed", link="parallel", dim=3, words=15):
    """Return parameters of a network."""
    return PacketConfig(dim=dim, routing=routing, link=link, max_words=words)


@pytest.mark.parametrize(("link", "hop", "packet"), [("parallel", 4, 16), ("serial", HOP, PERIOD)])
def test_network_without_load(link, hop, packet):
    """Further hops and further packets take what the docs of the network say."""
    one, two, three = (carry(network(link=link), [Parcel(5, 0, node, 1)]).last[0] for node in (1, 3, 7))
    assert (two - one, three - two) == (hop, hop)
    double = carry(network(link=link), [Parcel(5, 0, 1, 2)])
    assert double.first[0] == one
    assert double.last[0] == one + packet


def test_idle_time_is_left_out():
    """Messages long after each other are as alone, and the cycle knows of the time between."""
    parcels = [Parcel(7 + 100_000 * k, k, k ^ 5, 2) for k in range(4)]
    carried = carry(network(), parcels)
    assert len(set(carried.last.tolist())) == 1
    assert carried.cycles == 300_007 + carried.last[3]


def test_slots_take_turns():
    """Of two messages of one node, the second is not behind the first one: packets of their slots alternate."""
    alone = carry(network(link="serial"), [Parcel(0, 0, 2, 4)])
    both = carry(network(link="serial"), [Parcel(0, 0, 1, 4), Parcel(0, 0, 2, 4)])
    assert 0 < both.first[1] - alone.first[0] <= 2 * 15
    assert both.last[1] - alone.last[0] <= 2 * 15
    three = carry(network(), [Parcel(0, 0, node, 10) for node in (1, 2, 4)])
    assert three.last.max() - three.last.min() <= 3 * 16


@pytest.mark.parametrize(("routing", "contrary"), [("fixed", 0), ("quasi-adaptive", 1)])
def test_second_message_takes_another_slot(routing, contrary):
    """Under quasi-adaptive routing, also when the first one's last packet is already in its slot."""
    parcels = [Parcel(0, 0, 3, 1), Parcel(100, 0, 3, 1), Parcel(500, 0, 3, 1)]
    carried = carry(network(routing, "serial"), parcels)
    assert carried.contrary == contrary
    waits = carried.last - carried.last[0]
    assert (waits[1] > 100) == (routing == "fixed")
    assert waits[2] == 0 or routing == "fixed"


def test_messages_count_until_their_last_packet_has_left():
    """The third message finds a slot in which a long message is still being sent."""
    parcels = [Parcel(0, 0, 3, 4), Parcel(700, 0, 3, 1), Parcel(1300, 0, 3, 1)]
    carried = carry(network("quasi-adaptive", "serial"), parcels)
    assert carried.contrary == 1
    assert carried.last[2] == carried.first[0]


def test_every_message_arrives_once():
    """A heavy load of messages of several lengths, with the least of buffers."""
    random = np.random.default_rng(1)
    parcels = [
        Parcel(t, s, int(s ^ random.integers(1, 8)), int(random.integers(1, 5)))
        for t in range(0, 300, 60)
        for s in range(8)
    ]
    config = PacketConfig(dim=3, rows=2, max_words=4)
    carried = carry(config, parcels)
    assert (carried.first > 0).all()
    assert ((carried.last > carried.first) == [parcel.packets > 1 for parcel in parcels]).all()


def test_packets_without_room_for_a_number_are_refused():
    """One line."""
    with pytest.raises(ValueError, match=r"^max_words must be at least 3, not 2$"):
        carry(network(words=2), [Parcel(0, 0, 1, 1)])
    with pytest.raises(ValueError, match=r"^parcels must be at most 128 for width = 7, not 129$"):
        carry(PacketConfig(dim=3, width=7), [Parcel(0, 0, 1, 1)] * 129)


@pytest.mark.core("quasi-adaptive")
@pytest.mark.parametrize("routing", ROUTINGS)
def test_simulator_is_the_network_but_for_a_constant(routing):
    """Without load the same constant at all distances, and with some load the mean within 5 % of the network's."""
    single = single_run(1, routing, 3)
    apart = set(np.subtract(single["simulator"], single["network"]).tolist())
    assert len(apart) == 1
    sent = packet_messages(3, 3, 1, 0.5, 6, 0)
    theirs, ours = in_network(routing, sent), in_simulator(routing, sent)
    assert ours.last.mean() - apart.pop() == pytest.approx(theirs.last.mean(), rel=0.05)
    assert theirs.last.mean() > 1.05 * np.mean(single["network"])


@pytest.mark.parametrize("routing", ROUTINGS)
@pytest.mark.parametrize("packets", [1, 4])
def test_without_details_it_is_the_simulator(routing, packets):
    """Message by message, under a heavy load; and with each detail it is not."""
    sent = packet_messages(1, 3, packets, 0.9, 90, 0)
    record = in_simulator(routing, sent)
    first, last = in_detail(routing, sent, Details())
    assert (first == record.first).all()
    assert (last == record.last).all()
    for details in DETAILS.values():
        assert (in_detail(routing, sent, details)[1] != last).any()


def one_packet(*each):
    """Return messages of one packet: time, source and destination of each."""
    time, source, destination = (np.array(values) for values in zip(*each, strict=True))
    return Messages(3, time, source, destination, np.full(len(each), 39))


def test_outputs_are_promised():
    """To a packet whose unit still sends another: a message of the node has to wait behind it."""
    # The one of 0 to 3 waits at 1 for the one of 1 to 3, so the one of 0 to 5 behind it has to wait there too.
    sent = one_packet((0, 0, 3), (0, 1, 3), (10, 0, 5), (400, 1, 5))
    free, promised = (in_detail("fixed", sent, Details(reserve=reserve))[1] for reserve in (False, True))
    assert (free[:2] == promised[:2]).all()
    assert free[3] == PERIOD + 8
    # They go over the link in the other order: the packet 99 ticks earlier, the message after it.
    assert promised[2] == free[2] - 99
    assert promised[3] == free[3] + 606 + PERIOD - 404


@pytest.mark.parametrize("routing", ROUTINGS)
def test_promises_need_room(routing):
    """With the least of buffers under a heavy load, everything arrives."""
    sent = packet_messages(1, 3, 4, 0.9, 90, 0)
    machine = Machine(ROUTINGS[routing], byte=7, setup=4, head=27, packet=43, packets=2)
    first, last = simulate_details(machine, sent, Details(delivery=DELIVERY, reserve=True))
    assert (first > PERIOD).all()
    assert (last > first).all()


def test_messages_that_are_left_over_are_an_error(monkeypatch):
    """Which a promise that is never kept would make of them."""
    monkeypatch.setattr(network_details._Detailed, "_promise", lambda transport, node, j: True)
    with pytest.raises(RuntimeError, match=r"^2 of 2 messages never arrive$"):
        in_detail("fixed", one_packet((0, 0, 3), (0, 1, 3)), Details())


def test_waiting_packets_are_delivered_fast():
    """A packet that waits in a unit which sends another one needs only its words then."""
    # From 0 over 1: the first goes on to 3 and waits there for a long one of 1; the second is for 1 itself.
    messages = one_packet((0, 1, 3), (10, 0, 3), (20, 0, 1))
    slow, fast = (in_detail("fixed", messages, Details(delivery=delivery))[1] for delivery in (0, DELIVERY))
    assert (slow[:2] == fast[:2]).all()
    assert fast[2] < slow[2]


def test_traffic_is_the_same_for_both_routings_and_loads_the_links():
    """Load is time on links over time of all links."""
    sent = packet_messages(1, 3, 4, 0.5, 2000, 0)
    machine = Machine("fixed-packet", packet=PERIOD // 7)
    assert set((-(-sent.length // (machine.packet - 4))).tolist()) == {4}
    busy = 4 * PERIOD * sent.distance.sum()
    assert busy / (24 * sent.time.max()) == pytest.approx(0.5, rel=0.05)


def outcomes_of(study, parameters, change):
    """Return outcomes not computed: 1000 cycles in the network, in the simulator 10 more, with all details none."""
    outcomes = []
    for task in study.tasks(parameters):
        extra = dict(zip(["simulator", *DETAILS], [10.0, 0.0, 0.0, 0.0], strict=True))
        match task.function.__name__:
            case "single_run":
                single = {name: [300 + cycles, 331 + cycles, 362 + cycles] for name, cycles in extra.items()}
                outcomes.append({"network": [300, 331, 362], **single})
            case "network_run":
                outcomes.append({"network": {"first": 1000.0, "last": 1000.0}})
            case _:
                late = change(task.arguments)
                outcomes.append(
                    {name: {"first": 1000 + each, "last": 1000 + each + late} for name, each in extra.items()}
                )
    return outcomes


def test_study_says_what_differs():
    """By routing, packets and part; with the constant and without it; the largest over the loads."""
    study = CheckPackets()
    parameters = study.parameters(True)
    points, claims = study.evaluate(parameters, outcomes_of(study, parameters, lambda arguments: 0.0))
    assert [claim.verdict for claim in claims] == ["holds"] * (4 + 12 + 3)
    assert [claim.measured for claim in claims[4:6]] == pytest.approx([1.0, 0.0])
    assert "-10 cycles added" in claims[5].claim
    assert "0 cycles added" in claims[-1].claim
    assert {point.curve for point in points} >= {"network, fixed, one packet", "simulator, fixed, last of 4 packets"}

    def late(arguments):
        return 90.0 * (arguments["packets"] == 4 and arguments["load"] == 0.6 and arguments["routing"] == "fixed")

    claims = study.evaluate(parameters, outcomes_of(study, parameters, late))[1]
    differing = [claim for claim in claims if claim.verdict != "holds"]
    assert [claim.verdict for claim in differing] == ["differs by 5"] + ["differs by 4"] * 4
    assert all(claim.claim.startswith("fixed, last of 4 packets") for claim in differing[:2])
    assert all("fixed, last of 4 packets" in claim.claim for claim in differing)
    assert all("at load 0.6" in claim.claim for claim in differing)
    axes = Figure().subplots()
    study.draw(axes, parameters, points)
    assert axes.get_xlabel() and axes.get_ylabel() and len(axes.get_lines()) == 12


def test_hops_that_differ_are_said_to():
    """A simulator whose hops are a cycle longer."""
    study = CheckPackets()
    parameters = study.parameters(True)
    outcomes = outcomes_of(study, parameters, lambda arguments: 0.0)
    outcomes[0]["simulator"] = [310, 342, 374]
    claims = study.evaluate(parameters, outcomes)[1]
    assert claims[0].verdict == "differs by 2"
    outcomes[0]["simulator"] = [330, 361, 392]
    assert study.evaluate(parameters, outcomes)[1][1].verdict == "differs by 5"
