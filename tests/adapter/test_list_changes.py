"""The list of faults changes while messages are under way: with the hosts' rule all stay whole, without it not."""

from __future__ import annotations

from collections import defaultdict
from random import Random

import pytest

from cubecast.golden.adapter.contract.config import AdapterConfig
from cubecast.golden.adapter.contract.registers import ADDRESS_BITS, Register
from cubecast.golden.adapter.twins.network import AdapterNetwork
from cubecast.golden.common.contract.units import DATA_BITS
from cubecast.golden.common.twins.ports import bits
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.word import Kind
from cubecast.tb.adapter.messages import header
from cubecast.tb.common.patterns import item, pack

EVERYBODY = 255
"""The nodes of a 3-cube."""

ENDS = {0, 4}
"""Of a link of the top dimension: while it is listed they reach each other over a relay, as no other pair has to."""


class Hosts:
    """A network of eight nodes, what its hosts have to send, and what they got.

    ``words`` are those of the message that each node sends, ``owed`` the messages that are under way, as source,
    destination and data. ``came`` are data by destination, source and path, in order, of messages that seem whole, from
    ``first`` to an end without ``more``; ``wrong`` are those of them that were not owed, ``pieces`` the data of what
    has no beginning, ``broken`` of what ends with ``error``. ``relayed`` counts cycles in which a node sends something
    on.

    Parameters
    ----------
    reassemble : int
        Messages that are put together at a time.
    width : int
        Bits of a word; 11 leave none for the number of a packet.
    """

    def __init__(self, reassemble: int, width: int = 16) -> None:
        router = CrosspointConfig(dim=3, width=width, depth=8, packet_limit=3, eject_depth=16)
        self.config = AdapterConfig(router=router, reassemble=reassemble, reassemble_words=32 if reassemble else 64)
        self.network = AdapterNetwork(self.config)
        self.words: list[list[int]] = [[] for _ in range(8)]
        self.owed: set[tuple[int, int, tuple[int, ...]]] = set()
        self.wrong: list[tuple[int, int, tuple[int, ...]]] = []
        self.came: defaultdict[tuple[int, int, int], list[tuple[int, ...]]] = defaultdict(list)
        self.pieces: list[tuple[int, ...]] = []
        self.broken: list[tuple[int, ...]] = []
        self._open: dict[tuple[int, int, int], tuple[int, list[int]]] = {}
        self.relayed = 0

    def send(self, source: int, kind: int, node: int, data: tuple[int, ...], mask: int = 0, named: int = 0) -> None:
        """Let a node that has sent everything send a message; ``named`` are the destinations of a list."""
        assert not self.words[source]
        rows = [named] if kind == Kind.BITMAP else []
        self.words[source] = [header(self.config, kind, node, mask), *rows, *data]
        if kind != Kind.BITMAP:
            named = sum(1 << there for there in range(8) if not (there ^ node) & ~mask)
        self.owed.update((source, there, data) for there in bits(named) if there != source)

    def write(self, nodes: int, register: int, node: int = 0, dimension: int = 0, valid: int = 0) -> None:
        """Pass a cycle in which an entry of some nodes' lists becomes a link, or nothing."""
        value = node | dimension << 12 | 1 << 16 | valid << 31
        self.step(
            adapter_address=pack([register] * 8, ADDRESS_BITS),
            adapter_write=nodes,
            adapter_write_data=pack([value] * 8, DATA_BITS),
        )

    def step(self, ready: int = EVERYBODY, **inputs: int) -> None:
        """Pass a cycle."""
        config, words = self.config, self.words
        valid = sum(bool(left) << node for node, left in enumerate(words))
        inputs |= {
            "send_valid": valid,
            "send_data": pack((left[0] if left else 0 for left in words), config.width),
            "send_last": sum((len(left) == 1) << node for node, left in enumerate(words)),
            "receive_ready": ready,
        }
        outputs = self.network.step(inputs)
        assert not outputs["report_valid"]
        self.relayed += sum(member.adapter.relay_store.sending for member in self.network.routers)
        for node in bits(valid & outputs["send_ready"]):
            words[node].pop(0)
        for node in bits(outputs["receive_valid"] & ready):
            source, path = (item(outputs[f"receive_{name}"], node, config.dim) for name in ("source", "path"))
            key = node, source, path
            if (first := outputs["receive_first"] >> node & 1) or key not in self._open:
                self._open[key] = first, []
            self._open[key][1].append(item(outputs["receive_data"], node, config.width))
            if (outputs["receive_last"] & ~outputs.get("receive_more", 0)) >> node & 1:
                self._ended(key, outputs["receive_error"] >> node & 1)

    def _ended(self, key: tuple[int, int, int], error: int) -> None:
        """Take note of a message that has come to its end."""
        first, words = self._open.pop(key)
        data, (node, source, _) = tuple(words), key
        if error:
            self.broken.append(data)
            return
        if not first:
            self.pieces.append(data)
            return
        self.came[key].append(data)
        if (source, node, data) in self.owed:
            self.owed.remove((source, node, data))
        else:
            self.wrong.append((source, node, data))

    def drain(self) -> None:
        """Let everything come."""
        for _ in range(2000):
            if not any(self.words) and self.network.quiet():
                return
            self.step()
        pytest.fail("the network does not come to rest")


@pytest.mark.parametrize("reassemble", [0, 2])
def test_all_stays_whole_and_in_order_while_what_has_to_be_quiet_is(reassemble: int) -> None:
    """Sets, and unicasts that have a relay with the list or without, are not under way while it changes; others are."""
    hosts, random = Hosts(reassemble), Random(reassemble)
    changes = during = since = 0
    calm, writes = False, list[int]()
    for cycle in range(700):
        for source, left in enumerate(hosts.words):
            if left or random.random() < 0.85:
                continue
            kind = Kind.UNICAST if calm else random.choice((Kind.UNICAST, Kind.UNICAST, Kind.SUBCUBE, Kind.BITMAP))
            nodes = [there for there in range(8) if there != source and not (calm and {source, there} == ENDS)]
            node, other = random.sample(nodes, 2)
            if source in ENDS and not calm and random.random() < 0.8:
                node = source ^ 4
            loud = kind != Kind.UNICAST or {source, node} == ENDS
            data = cycle << 1 | loud, *(random.getrandbits(16) for _ in range(random.choice((0, 5))))
            hosts.send(source, kind, node, data, 2 if kind == Kind.SUBCUBE else 0, 1 << node | 1 << other)
        if calm and not writes and not any(data[0] & 1 for _, _, data in hosts.owed):
            # Each node gets the new list at another time.
            writes, changes = random.sample(range(8), 8), changes + 1
        if writes:
            during += len(hosts.owed)
            hosts.write(1 << writes.pop(), Register.FAULT, 0, 2, changes & 1)
            calm, since = bool(writes), cycle
        else:
            calm = calm or cycle - since == 30
            hosts.step(random.getrandbits(8) | random.getrandbits(8) | random.getrandbits(8))
    hosts.drain()
    assert not hosts.owed and not hosts.wrong and not hosts.pieces and not hosts.broken
    assert all(found == sorted(found) for found in hosts.came.values())
    assert any(path for _, _, path in hosts.came) and hosts.relayed > 20
    assert changes > 3 and during > 100 * changes


@pytest.mark.parametrize("width", [16, 11])
def test_messages_mix_if_the_list_changes_while_one_goes_over_a_relay(width: int) -> None:
    """The next one goes straight, and overtakes the end of the first: both are broken; without numbers they are one."""
    hosts, first, second = Hosts(2, width), tuple(range(100, 110)), tuple(range(200, 204))
    hosts.write(EVERYBODY, Register.FAULT, 0, 2, 1)
    hosts.send(0, Kind.UNICAST, 4, first)
    while len(hosts.words[0]) > 1:
        hosts.step()
    hosts.write(EVERYBODY, Register.FAULT)
    while hosts.words[0]:
        hosts.step()
    hosts.send(0, Kind.UNICAST, 4, second)
    hosts.drain()
    if hosts.config.ordinal_bits:
        assert not hosts.wrong and hosts.broken
        return
    ((source, node, data),) = hosts.wrong
    assert (source, node) == (0, 4) and data[0] == second[0]
    assert set(first) & set(data) and set(data) < {*first, *second}
    assert hosts.pieces == [tuple(word for word in first[2:] if word not in data)]


def test_a_message_comes_in_another_order_if_the_list_of_its_relay_changes() -> None:
    """The relay plans each packet anew: the end of a message comes before its beginning."""
    hosts, data = Hosts(2), tuple(range(100, 110))
    hosts.write(EVERYBODY, Register.FAULT, 0, 2, 1)
    hosts.write(1 << 1, Register.FAULT + 1, 5, 0, 1)
    # The way around, over 6, is full; the straight one is not.
    hosts.send(6, Kind.UNICAST, 4, tuple(range(1000, 1100)))
    for _ in range(100):
        hosts.step(EVERYBODY & ~(1 << 4))
    hosts.send(0, Kind.UNICAST, 4, data)
    while hosts.relayed < 2:
        hosts.step(EVERYBODY & ~(1 << 4))
    hosts.write(1 << 1, Register.FAULT + 1)
    for _ in range(100):
        hosts.step(EVERYBODY & ~(1 << 4))
    hosts.drain()
    assert [piece for piece in hosts.pieces if piece == data[2:]]
    assert (0, 4, data) in hosts.owed and not hosts.wrong
