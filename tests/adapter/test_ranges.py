"""What the corners of the lockstep runs can bring at most, where a signal is wide enough for more."""

import pytest

from cubecast.golden.adapter.contract.registers import register_map
from cubecast.golden.adapter.twins.relay_store import RelayStore
from cubecast.golden.adapter.twins.words import Word
from tests.adapter.test_lockstep import CONFIGS, KNOWING, TABLE


@pytest.mark.parametrize("name", KNOWING)
def test_packets_that_wait_to_be_sent_on(name):
    """The last one begins while the longest packet has room, and each has two words: fewer than 16 in 32 words."""
    config = CONFIGS[name]
    store, count = RelayStore(config), 0
    while store.step({})["room"]:
        for last in (0, 1):
            store.edge(Word(data=0, last=last, error=0), False, False)
        count += 1
    assert store.whole == count == config.relay_shape.most // 2 + 1 < 16


def test_bits_that_no_register_has():
    """Entries of the list of faults have bits 31 and 16, the others none above 15."""
    for unit in ("axi_adapter", "axi_node", "axi_network"):
        for name in TABLE[unit].corners:
            fields = [field for entry in register_map(CONFIGS[name]) for field in entry.fields]
            bits = {field.low + bit for field in fields for bit in range(field.width)}
            assert max(bits - {31}) == 16
