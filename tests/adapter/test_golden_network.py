"""The golden network of nodes with adapters: overload with lists, broadcasts and relays, and an end of everything."""

import dataclasses
import random
from collections import Counter, defaultdict

import pytest

from cubecast.golden.adapter.contract.config import AdapterConfig
from cubecast.golden.adapter.contract.registers import ADDRESS_BITS, Register
from cubecast.golden.adapter.twins.network import AdapterNetwork
from cubecast.golden.common.contract.control import Register as ControlRegister
from cubecast.golden.common.contract.units import ADDRESS_BITS as CONTROL_BITS
from cubecast.golden.common.contract.units import DATA_BITS
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.word import Kind
from cubecast.tb.adapter.messages import header
from cubecast.tb.common.patterns import item, pack, sparse

CONFIG = AdapterConfig(router=CrosspointConfig(dim=3, width=16, depth=8, packet_limit=3, eject_depth=16))
FAULTY = (0, 2)
"""A link of the top dimension: its two ends reach each other over a relay alone."""

CYCLES = 500
"""For how long messages begin."""


def message(chance, source, number):
    """Return the words of a message, its data, and whom it is for."""
    kind = chance.choice((Kind.UNICAST, Kind.UNICAST, Kind.SUBCUBE, Kind.BITMAP))
    node, mask, rows = chance.randrange(8), 0, []
    if kind == Kind.UNICAST:
        node = node if node != source else source ^ 4
        there = {node}
    elif kind == Kind.SUBCUBE:
        mask = sparse(chance, 3) or 7
        there = {node ^ x for x in range(8) if not x & ~mask} - {source}
    else:
        rows = [chance.randrange(1, 256) | 1 << (source ^ 1)]
        there = {x for x in range(8) if rows[0] >> x & 1} - {source}
    data = [number, *(chance.getrandbits(16) for _ in range(chance.choice((0, 1, 3, 9))))]
    return [header(CONFIG, kind, node, mask), *rows, *data], tuple(data), there


def configured(network, policy, faulty):
    """Let all nodes choose routes by a policy; ``faulty``: cut the faulty link at both ends, and tell all of it."""
    node, dimension = FAULTY
    ends = [node, node ^ 1 << dimension]
    fault = node | dimension << 12 | 1 << 16 | int(faulty) << 31
    everyone = (1 << CONFIG.nodes) - 1
    for register, value in ((Register.FAULT, fault), (Register.POLICY, policy)):
        network.step(
            {
                "adapter_address": pack([int(register)] * CONFIG.nodes, ADDRESS_BITS),
                "adapter_write": everyone,
                "adapter_write_data": pack([value] * CONFIG.nodes, DATA_BITS),
                "control_address": pack([int(ControlRegister.FAULT)] * CONFIG.nodes, CONTROL_BITS),
                "control_write": sum(1 << end for end in ends) if faulty else 0,
                "control_write_data": pack([1 << dimension] * CONFIG.nodes, DATA_BITS),
            }
        )


@pytest.mark.core("3-False-0")
@pytest.mark.parametrize(
    ("policy", "faulty", "reassemble"), [(0, False, 2), (3, False, 0), (0, True, 0), (1, True, 2), (2, True, 0)]
)
def test_overload_ends_with_each_message_once_at_each_destination(policy, faulty, reassemble):
    """More is offered than the network takes; then it drains. Messages that take the same path keep their order."""
    buffers = {"reassemble": reassemble, "reassemble_words": 8} if reassemble else {}
    config = dataclasses.replace(CONFIG, **buffers)
    chance, network = random.Random(policy), AdapterNetwork(config)
    configured(network, policy, faulty)
    words = [[] for _ in range(CONFIG.nodes)]
    sent, came, open_ = Counter(), Counter(), defaultdict(list)
    numbers, order, frames = [0] * CONFIG.nodes, defaultdict(list), [None] * CONFIG.nodes
    cycle = relayed = waited = 0
    while cycle < CYCLES or any(words) or not network.quiet():
        for node in range(CONFIG.nodes):
            if not words[node] and cycle < CYCLES:
                words[node], data, there = message(chance, node, numbers[node])
                numbers[node] += 1
                sent.update((node, to, data) for to in there)
        valid = sum(bool(left) << node for node, left in enumerate(words))
        ready = sum((cycle >= CYCLES or chance.random() < 0.5) << node for node in range(CONFIG.nodes))
        outputs = network.step(
            {
                "send_valid": valid,
                "send_data": pack((left[0] if left else 0 for left in words), CONFIG.width),
                "send_last": sum((len(left) == 1) << node for node, left in enumerate(words)),
                "receive_ready": ready,
            }
        )
        assert not outputs["report_valid"], "a message is lost"
        waited += (valid & ~outputs["send_ready"]).bit_count()
        relayed += sum(member.adapter.relay_store.sending for member in network.routers)
        for node in range(CONFIG.nodes):
            if (valid & outputs["send_ready"]) >> node & 1:
                words[node].pop(0)
            if (outputs["receive_valid"] & ready) >> node & 1:
                source, path = (item(outputs[f"receive_{name}"], node, CONFIG.dim) for name in ("source", "path"))
                key = node, source, path
                assert bool(open_[key]) != bool(outputs["receive_first"] >> node & 1)
                assert not reassemble or frames[node] in (None, key), "a frame is interrupted"
                open_[key].append(item(outputs["receive_data"], node, CONFIG.width))
                ends = outputs["receive_last"] & ~outputs.get("receive_more", 0)
                frames[node] = None if outputs["receive_last"] >> node & 1 else key
                if ends >> node & 1:
                    order[key].append(open_[key][0])
                    came[source, node, tuple(open_.pop(key))] += 1
        cycle += 1
        assert cycle < 20 * CYCLES, "the network does not come to rest"
    assert came == sent
    assert bool(relayed) == faulty
    assert waited
    if not faulty:
        assert {path for _, _, path in order} == (set(range(8)) if policy else {0})
    assert all(list(found) == sorted(found) for found in order.values())
