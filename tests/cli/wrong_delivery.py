"""Playbacks with a golden network that goes wrong on purpose: from some cycle on it sees another word delivered."""

import dataclasses

from cubecast.tb.crosspoint import playback as crosspoint
from cubecast.tb.multicast import playback as multicast
from cubecast.tb.packet import playback as packet

__all__ = ["CROSSPOINT", "MULTICAST", "PACKET", "WrongCrosspoint", "WrongMulticast", "WrongPacket"]


class WrongDelivery:
    """Stands before a playback's class; words delivered after cycle 14 have their lowest bit turned over."""

    def step(self, inputs):
        """Return outputs that are wrong once a delivery is seen after cycle 14."""
        cycle = self.cycle
        outputs = super().step(inputs)
        if outputs["eject_valid"] and cycle > 14:
            outputs["eject_data"] ^= outputs["eject_valid"] & -outputs["eject_valid"]
        return outputs


class WrongMulticast(WrongDelivery, multicast.Playback):
    """Of the multicast network."""


class WrongPacket(WrongDelivery, packet.Playback):
    """Of the packet network."""


class WrongCrosspoint(WrongDelivery, crosspoint.Playback):
    """Of the crosspoint network."""


def _bench(playback, twin):
    """Return the testbench of a playback, found again in this module, with another twin."""

    def stimulus(random, config, **options):
        """Play as ever."""
        yield from playback.stimulus(random, config, **options)

    return dataclasses.replace(playback.BENCH, twin=f"{__name__}:{twin.__name__}", stimulus=stimulus)


MULTICAST = _bench(multicast, WrongMulticast)
PACKET = _bench(packet, WrongPacket)
CROSSPOINT = _bench(crosspoint, WrongCrosspoint)
