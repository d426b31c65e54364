"""Messages played through a golden network alone, without a simulator."""

import importlib
import json
import random

from cubecast.cli import main
from cubecast.systems import system_of
from cubecast.systems.report import answer
from cubecast.tb.harness.bench import RESET_CYCLES

__all__ = ["play", "refuses", "wanted_of"]


class Inputs(dict):
    """Inputs of a network, all 0 until they are driven."""

    def __missing__(self, name):
        return 0


def play(config, values, faults=(), **options):
    """Play messages through the golden network; return the answer, what was recorded, and lines of the rest."""
    system = system_of(config)
    playback = importlib.import_module(system.playback.partition(":")[0])
    messages, events = system.messages.parse(values, config, frozenset(faults))
    twin = playback.Playback(config)
    stimulus = playback.stimulus(
        random.Random(1),
        config,
        messages=[message.option() for message in messages],
        faults=faults,
        events=[{"cycle": e.cycle, "node": e.node, "vector": e.vector} for e in events],
        **options,
    )
    inputs = Inputs()
    for _ in range(RESET_CYCLES):
        twin.step(Inputs(rst=1))
    change = next(stimulus)
    while change is not None:
        inputs |= change
        try:
            change = stimulus.send(twin.step(inputs))
        except StopIteration:
            change = None
    seen = json.loads(json.dumps(twin.result()))
    found = answer(config, messages, seen, frozenset(faults), matched=True)
    return found, seen, list(system.report.inside(config, messages, seen))


def refuses(capsys, tmp_path, monkeypatch, arguments, line):
    """See that ``simulate`` refuses arguments about a file, ``m.json``, in one line and before anything is built."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.json").write_text('[{"source": 1, "destinations": [2], "cycle": 5}]')
    assert main(["simulate", *arguments]) == 2
    assert capsys.readouterr() == ("", f"cubecast simulate: {line}\n")


def wanted_of(config, values):
    """Return message and node of every delivery that the values ask for."""
    wanted = []
    for index, value in enumerate(values):
        if "source" in value:
            nodes = [node for node in range(config.nodes) if node != value["source"]]
            if "subcube" in value:
                base, mask = value["subcube"]["base"], value["subcube"]["mask"]
                nodes = [node for node in nodes if not (node ^ base) & ~mask]
            wanted += [(index, node) for node in value.get("destinations", nodes)]
    return sorted(wanted)
