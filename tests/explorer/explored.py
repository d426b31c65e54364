"""Runs of a golden network alone, recorded, as recording and page."""

import json

from cubecast.cli import explore
from cubecast.systems import system_of
from tests.cli import playing

__all__ = ["record"]


def record(folder, config, values, faults=(), **options):
    """Write recording and page of a run into a folder; return the result, the header and the events by cycle."""
    found, seen, _ = playing.play(config, values, faults, explore=True, **options)
    system = system_of(config)
    messages, _ = system.messages.parse(values, config, frozenset(faults))
    more = {"system": system.name, "simulator": "", "seed": 1, "faults": sorted(faults)}
    title = system.report.title(config)
    explore.write(folder, config, title, messages, found, seen, more)
    header, *events = map(json.loads, (folder / "recording.jsonl").read_text().splitlines())
    return found, header, events
