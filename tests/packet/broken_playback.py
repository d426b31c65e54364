"""The playback of the packet network with a golden network that goes wrong on purpose."""

import dataclasses

from cubecast.tb.packet import playback
from tests.cli.wrong_delivery import WrongDelivery

__all__ = ["BENCH", "WrongPlayback"]


class WrongPlayback(WrongDelivery, playback.Playback):
    """Playback with wrong deliveries."""


def stimulus(random, config, **options):
    """Play as ever."""
    yield from playback.stimulus(random, config, **options)


BENCH = dataclasses.replace(playback.BENCH, twin="tests.packet.broken_playback:WrongPlayback", stimulus=stimulus)
