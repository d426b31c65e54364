"""Registers of a design on a link between two routers: as many as docs/integration.md allows, and one more."""

import itertools

import pytest

from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.twins.router import Router

START, CYCLES = 2, 60
"""The cycle in which both broadcasts begin, and cycles in which they have passed."""

PORTS = ("valid", "data", "last", "error", "lane")

LONGEST = 3
"""Words of payload, 0 to this."""


def delivered(config, payload, forward, backward):
    """Return what node 1 gets of two broadcasts that meet in node 0, over a link with registers."""
    near, far = (Router(config, address=node) for node in range(2))
    source = [0] * config.source_field
    ways = {"inject": [3, 3, *source], "link_in__1": [3, 1, *source]}
    words = {way: [*header, *range(payload)] for way, header in ways.items()}
    under_way, ready, got, came = [{}] * forward, [(1 << config.lanes) - 1] * backward, [], []
    for cycle in range(CYCLES):
        ready.append(far.shown[0][0])
        inputs = {"link_out__0__ready": ready.pop(0), "link_out__1__ready": 3, "eject__ready": 1}
        for way, message in words.items():
            place = cycle - START
            if 0 <= place < len(message):
                last = place == len(message) - 1
                inputs |= {f"{way}__valid": 1, f"{way}__data": message[place], f"{way}__last": last}
        outputs = near.step(inputs)
        under_way.append({f"link_in__0__{port}": outputs[f"link_out__0__{port}"] for port in PORTS})
        outputs = far.step({"address": 1, "eject__ready": 1, **under_way.pop(0)})
        if outputs["eject__valid"]:
            came.append(outputs["eject__data"])
            if outputs["eject__last"]:
                got.append(came)
                came = []
    return got


@pytest.mark.parametrize("source_field", [False, True])
@pytest.mark.parametrize("payload", range(LONGEST + 1))
def test_as_many_registers_as_a_message_has_words_but_one(payload, source_field):
    """Forward and in ready together; with one more the second message starts before ready is seen deasserted."""
    config = Config(dim=2, max_data=LONGEST, source_field=source_field)
    longest = 2 + source_field + payload
    for forward, backward in itertools.product(range(longest + 1), repeat=2):
        if forward + backward <= longest:
            got = delivered(config, payload, forward, backward)
            assert len(got) == (2 if forward + backward < longest else 1), (forward, backward)
            assert all(message[len(message) - payload :] == [*range(payload)] for message in got)
