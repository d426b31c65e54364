"""A playback whose golden network goes wrong on purpose: from some cycle on it sees another word delivered."""

import dataclasses

from cubecast.tb.multicast import playback

__all__ = ["BENCH", "WrongPlayback"]


class WrongPlayback(playback.Playback):
    """Playback whose first delivered word after cycle 14 has its lowest bit turned over."""

    def step(self, inputs):
        """Return outputs that are wrong once a delivery is seen after cycle 14."""
        cycle = self.cycle
        outputs = super().step(inputs)
        if outputs["eject_valid"] and cycle > 14:
            outputs["eject_data"] ^= outputs["eject_valid"] & -outputs["eject_valid"]
        return outputs


def stimulus(random, config, **options):
    """Play as ever."""
    yield from playback.stimulus(random, config, **options)


BENCH = dataclasses.replace(playback.BENCH, twin="tests.multicast.broken_playback:WrongPlayback", stimulus=stimulus)
