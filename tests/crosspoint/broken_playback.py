"""A playback whose golden network goes wrong on purpose: from some cycle on it sees another word delivered."""

import dataclasses

from cubecast.tb.crosspoint import playback

__all__ = ["BENCH", "WrongPlayback"]


class WrongPlayback(playback.Playback):
    """Playback whose words delivered to node 0 after cycle 20 have their lowest bit turned over."""

    def step(self, inputs):
        """Return outputs that are wrong once a delivery is seen."""
        cycle = self.cycle
        outputs = super().step(inputs)
        if outputs["eject_valid"] & 1 and cycle > 20:
            outputs["eject_data"] ^= 1
        return outputs


def stimulus(random, config, **options):
    """Play as ever."""
    yield from playback.stimulus(random, config, **options)


BENCH = dataclasses.replace(playback.BENCH, twin="tests.crosspoint.broken_playback:WrongPlayback", stimulus=stimulus)
