"""Messages played: through a golden network alone, without a simulator, and by the command."""

import importlib
import json
import random
from pathlib import Path

from cubecast.cli import main
from cubecast.systems import system_of
from cubecast.systems.report import answer
from cubecast.tb.harness.bench import RESET_CYCLES
from tests.cli.answers import answer_in

__all__ = ["agrees", "play", "random_values", "refuses", "says_a_mismatch", "wanted_of"]


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


def random_values(source, config, count, longest, most, listed):
    """Return random messages whose first data word is their index.

    Up to ``longest`` others below ``most`` follow; a list has up to ``listed`` destinations.
    """
    values = []
    for index in range(count):
        node = source.randrange(config.nodes)
        value = {"source": node, "data": [index, *(source.randrange(most) for _ in range(source.randint(0, longest)))]}
        if source.random() < 0.2:
            value["broadcast"] = True
        else:
            others = [other for other in range(config.nodes) if other != node]
            value["destinations"] = source.sample(others, source.randint(1, min(len(others), listed)))
        if source.random() < 0.3:
            value["cycle"] = source.randrange(200)
        values.append(value)
    return values


def agrees(capsys, arguments, config, example):
    """See that ``simulate`` prints the documented object of an example, as the golden network of packets gives it."""
    assert main([*arguments, "--json"]) == 0
    found = answer_in(capsys.readouterr().out, "simulate")
    values = json.loads(Path(example).read_text())
    assert list(found) == ["cycles", "golden", "messages", "deliveries", "links", "errors"]
    assert found == play(config, values)[0]
    assert found["golden"] == "match" and found["errors"] == []
    assert sorted((d["message"], d["node"]) for d in found["deliveries"]) == wanted_of(config, values)
    for delivery in found["deliveries"]:
        assert list(delivery) == ["message", "node", "first_cycle", "last_cycle", "data", "error"]
    for link in found["links"]:
        assert list(link) == ["from", "to", "words", "packets", "waited"]


def says_a_mismatch(capsys, arguments):
    """See that a golden network that goes wrong ends ``simulate`` with status 1, and cycle, port and replay command."""
    assert main(arguments) == 1
    out = capsys.readouterr().out
    assert "port eject_data: DUT " in out and "replay: python -m cubecast.tb " in out
    assert out.endswith("golden: mismatch\n")
