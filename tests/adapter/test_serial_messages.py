"""A message that goes to its destinations one after the other loses one of them on its way."""

from cubecast.golden.adapter.contract.config import AdapterConfig
from cubecast.golden.adapter.contract.word import AdapterReason, header_places
from cubecast.golden.adapter.twins.chunker import Chunker
from cubecast.golden.adapter.twins.fault_list import Entry, Knowledge
from cubecast.golden.adapter.twins.planner import Planner
from cubecast.golden.adapter.twins.words import Word
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.word import Kind

CONFIG = AdapterConfig(router=CrosspointConfig(dim=2, width=8, packet_limit=2))
ELSEWHERE = Entry(1, 1, 2, 0)
"""The link between 2 and 3: with it in the list messages from 0 are serial, and all nodes have a route."""

LOST = Entry(1, 0, 3, 0)
"""Node 3."""


def sent(faults_of, chunks):
    """Send a broadcast of node 0; return to whom each chunk went, and what was reported, by chunk."""
    chunker, planner, freed = Chunker(CONFIG), Planner(CONFIG), -1
    places = header_places(CONFIG)
    head = Kind.SUBCUBE << places["kind"].low | (CONFIG.nodes - 1) << places["mask"].low
    words = [Word(head, 0, 0), *(Word(number, int(number == chunks - 1), 0) for number in range(chunks))]
    went, said, number = [set() for _ in range(chunks)], [[] for _ in range(chunks)], 0
    while words or chunker.chunk:
        faults = Knowledge(faults_of(number), 0, 0)
        planner.edge(chunker.chunk, 0, None, True, faults, report_taken=True)
        ready = chunker.ready
        chunker.edge(words[0] if words else None, planner.known(faults), 0, planner.chunk_taken, freed)
        if ready and words:
            words.pop(0)
        order, freed = planner.order, -1
        if planner.report is not None:
            said[number].append(planner.report)
        if order is not None and order.send:
            went[number].add(order.destination)
        if order is not None and order.release:
            freed = order.bank
            number += 1
    return went, said


def test_what_is_lost_stays_lost_and_is_told_once() -> None:
    """A node without a route in the second of five chunks gets no later one, though it is repaired in the fourth."""
    went, said = sent(lambda number: (ELSEWHERE, LOST) if number in (1, 2) else (ELSEWHERE,), 5)
    assert went == [{1, 2, 3}, *[{1, 2}] * 4]
    assert said == [[], [(AdapterReason.NO_ROUTE, 3)], [], [], []]


def test_a_new_message_begins_anew() -> None:
    """A node that is faulty in the first chunk is told once; nothing of the message comes when it is repaired."""
    went, said = sent(lambda number: (ELSEWHERE, LOST) if not number else (ELSEWHERE,), 3)
    assert went == [{1, 2}] * 3
    assert said == [[(AdapterReason.NO_ROUTE, 3)], [], []]


def test_without_a_loss_all_chunks_come() -> None:
    """Faults that leave every node a route, and their end inside the message, lose nothing."""
    went, said = sent(lambda number: (ELSEWHERE,) if number < 2 else (), 4)
    assert went == [{1, 2, 3}] * 4
    assert not any(said)
