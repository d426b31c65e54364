"""Testbench of the unicast unit: that of the whole unit without broadcasts; the whole unit's twin beside it."""

from unittest.mock import patch

from cubecast.tb.harness.bench import Bench
from cubecast.tb.multicast import mhu

__all__ = ["BENCH"]

EVENTS = (
    "copy",
    "local copy",
    "forwarded copy",
    "poisoned copy",
    "stall",
    "next message waits",
    "report waits",
    "reset",
)
REPORTS = (
    "UNDELIVERABLE",
    "NO_LANE",
    "COPY_CUT",
    "INPUT_CUT",
    "K_ZERO",
    "LIST_TOO_LONG",
    "HEADER_SHORT",
    "DATA_TOO_LONG",
)
CUTS = ("rows decided again", "rows decided again beside a fault", "multicast copy dropped in LIST")


def stimulus(random, config):
    """Drive the unit as the whole one is driven, but with no word that could begin a broadcast."""
    with patch.object(mhu, "well_formed", lambda config: ("unicast",)):
        driving = mhu.stimulus(random, config)
        change = next(driving)
        while True:
            if change.get("i__data") == config.broadcast_k:
                change |= {"i__data": config.broadcast_k - 1}
            change = driving.send((yield change))


BENCH = Bench(
    unit="multicast.mhu:Mhu",
    component="cubecast.tb.measure.unicast_mhu:UnicastMhu",
    stimulus=stimulus,
    events=(*EVENTS, *REPORTS, *CUTS),
    watch=mhu.watch,
)
