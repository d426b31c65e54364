"""Runs of a golden network alone, recorded, as recording and page; and what commands record."""

import json

from cubecast.cli import explore, main
from cubecast.systems import system_of
from tests.cli import playing

__all__ = ["explored", "record"]


def record(folder, config, values, faults=(), **options):
    """Write recording and page of a run into a folder; return the result, the header and the events by cycle."""
    found, seen, _ = playing.play(config, values, faults, explore=True, **options)
    system = system_of(config)
    messages, changes = system.messages.parse(values, config, frozenset(faults))
    more = {"system": system.name, "simulator": "", "seed": 1, "faults": sorted(faults)}
    more["changes"] = [{"cycle": each.cycle, "node": each.node, "vector": each.vector} for each in changes]
    title = system.report.title(config)
    explore.write(folder, config, title, messages, found, seen, more)
    header, *events = map(json.loads, (folder / "recording.jsonl").read_text().splitlines())
    return found, header, events


def explored(capsys, folder, *arguments):
    """Run a command of the golden model with ``--explore``; return its JSON, the header and the events by step."""
    assert main([*arguments, "--json", "--explore", str(folder)]) == 0
    answer = json.loads(capsys.readouterr().out)
    header, *events = map(json.loads, (folder / "recording.jsonl").read_text().splitlines())
    assert (header["time"], header["golden"]) == ("step", "model")
    assert main(["explore", str(folder / "recording.jsonl"), "-o", str(folder / "again")]) == 0
    capsys.readouterr()
    assert (folder / "again" / "index.html").read_bytes() == (folder / "index.html").read_bytes()
    return answer, header, events
