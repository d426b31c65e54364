"""Parameters and formats of the node interface."""

import pytest

from cubecast.golden.node.contract.axi import registers
from cubecast.golden.node.contract.block import FIELDS, LENGTH_BITS, Instruction, Word
from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.node.contract.packet import CONTROL, ENVELOPE, Op, pack, unpack
from cubecast.golden.node.contract.registers import RINGS, Interrupt, Register, register_map
from cubecast.golden.packet.contract.config import PacketConfig
from tests.node.test_lockstep import CONFIGS, TABLE

WRONG = [
    ({"width": 24}, {}, "width must be 16 or 32 in a node with an interface, not 24"),
    ({"dim": 10, "width": 14}, {}, "width must be 16 or 32 in a node with an interface, not 14"),
    ({"max_words": 5}, {}, "max_words must be at least 6 in a node with an interface, not 5"),
    ({}, {"buffers": 257}, "buffers must be an integer from 0 to 256, not 257"),
    ({}, {"buffer_bytes": 16}, "buffer_bytes must be an integer from 32 to 65536, not 16"),
    ({}, {"buffer_bytes": 33}, "buffer_bytes must be a multiple of 32, not 33"),
    ({}, {"buffers": 3, "reserved": 4}, "reserved must be an integer from 0 to 3, not 4"),
    ({}, {"eager": 16}, "eager must be an integer from 1 to 15, not 16"),
    ({}, {"tracked": 0}, "tracked must be an integer from 1 to 32, not 0"),
    ({}, {"hash_bits": 9}, "hash_bits must be an integer from 1 to 8, not 9"),
    ({}, {"instructions": 1}, "instructions must be an integer from 2 to 64, not 1"),
    ({}, {"events": True}, "events must be an integer from 2 to 256, not True"),
]


@pytest.mark.parametrize(("router", "own", "message"), WRONG, ids=[message for _, _, message in WRONG])
def test_wrong_parameters_are_named_in_one_line(router, own, message):
    """The line has the name, what is allowed, and the value."""
    with pytest.raises(ValueError) as caught:
        NodeConfig(router=PacketConfig(**{"dim": 3} | router), **own)
    assert str(caught.value) == message


def test_parameters_survive_json():
    """Those of the router stand beside the interface's own."""
    config = NodeConfig(router=PacketConfig(dim=2, width=32), buffers=1)
    assert config.reserved == 1
    assert NodeConfig.from_json(config.to_json()) == config


@pytest.mark.parametrize(("width", "words", "first", "later"), [(16, 15, 22, 28), (32, 15, 48, 56), (16, 6, 4, 10)])
def test_room_in_packets(width, words, first, later):
    """The bytes of a 16-bit packet are those of the source: 28, and 22 behind an envelope."""
    config = NodeConfig(router=PacketConfig(dim=2, width=width, max_words=words))
    assert (config.first_bytes, config.packet_bytes) == (first, later)


@pytest.mark.parametrize("width", [16, 32])
@pytest.mark.parametrize("words", [6, 17, 63])
def test_packets_are_whole_words(width, words):
    """Every packet of a message begins with a word, and the longest has fewer than 64 words of memory."""
    config = NodeConfig(router=PacketConfig(dim=2, width=width, max_words=words))
    assert config.first_bytes % config.word_bytes == config.packet_bytes % config.word_bytes == 0
    assert 4 % config.word_bytes == 0
    assert -(-(4 - config.word_bytes + config.packet_bytes) // 4) < 64


def test_messages_in_buffers_of_the_lockstep_runs():
    """The largest buffer is no longer than 16 bits can say."""
    corners = [CONFIGS[name] for name in TABLE["matcher"].corners]
    assert max(config.buffer_bytes for config in corners) < 1 << 16


def test_bytes_unasked_in_the_lockstep_runs():
    """Bit 4 of those of one packet and of all of them differs in the configuration of the networks alone."""

    def differs(config):
        return bool((config.first_bytes ^ config.first_bytes + (config.eager - 1) * config.packet_bytes) & 1 << 4)

    assert not any(differs(CONFIGS[name]) for name in TABLE["send_scheduler"].corners)
    assert differs(CONFIGS["serial"])


@pytest.mark.parametrize("fields", [ENVELOPE, CONTROL, *FIELDS.values()])
def test_fields_do_not_overlap(fields):
    """And a word of them can be taken apart again."""
    assert sum(field.mask for field in fields) == pack(fields, **{f.name.lower(): 2**f.width - 1 for f in fields})
    for field in fields:
        assert unpack(fields, field.mask)[field.name.lower()] == 2**field.width - 1
        assert sum(unpack(fields, field.mask).values()) == 2**field.width - 1


def test_sizes_of_words():
    """An envelope has 48 bits, a control word 16; a block has its words in order, and reasons have three bits."""
    assert sum(field.width for field in ENVELOPE) == 48
    assert max(field.low + field.width for field in CONTROL) == 16
    assert list(Word) == [*range(9)]
    assert [op.name for op in Op if op] == ["ACCEPT", "DONE", "POSTPONE", "REWIND"]
    assert LENGTH_BITS == 20
    assert max(Interrupt) == Interrupt.EVENT_LOST == 6


def test_values_after_reset_that_are_parameters():
    """One that is named is the value; the others are the same for any parameters."""
    default, other = (
        NodeConfig(router=PacketConfig(dim=2)),
        NodeConfig(router=PacketConfig(dim=3), buffers=3, instructions=5, events=7, tracked=9, eager=11, hash_bits=2),
    )
    for entry, usual in zip(register_map(other), register_map(default), strict=True):
        assert entry.reset == (getattr(other, entry.reset_of) if entry.reset_of else usual.reset), entry.name
    assert [entry.name for entry in register_map(other) if entry.reset_of] == ["PLACES", "LEAST_FREE"]


def test_doorbells_are_written_where_their_places_are_read():
    """With AXI alone; all else is the same."""
    config = NodeConfig(router=PacketConfig(dim=2))
    plain, axi = register_map(config), register_map(config, doorbells=True)
    assert (plain[0].name, plain[0].access, plain[0].on_write) == ("PLACES", "R", "")
    assert (axi[0].name, axi[0].access, axi[0].on_write) == ("PLACES", "RW", RINGS)
    assert plain[1:] == axi[1:]
    bells = set(range(Register.PLACES, Register.PLACES + len(Instruction)))
    assert bells <= set(registers(config).writable)
