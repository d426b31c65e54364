"""What the tests of merges and rings on the command line share."""

import json

from cubecast.cli import collective_simulation, main
from cubecast.tb.harness.lockstep import Mismatch

__all__ = ["agrees_with_counters", "run", "says_a_mismatch"]


def run(capsys, *arguments):
    """Run the command line in this process; return status, standard output, standard error."""
    status = main(list(arguments))
    out, err = capsys.readouterr()
    return status, out, err


def says_a_mismatch(capsys, monkeypatch, command):
    """See that a golden network that disagrees ends a simulation with status 1, and that text and JSON say where."""
    where = "cycle 7, port busy: DUT 1, golden 0\n"

    def mismatch(*arguments, **settings):
        raise Mismatch(where.strip())

    monkeypatch.setattr(collective_simulation, "play", mismatch)
    status, out, err = run(capsys, *command, "--json")
    assert (status, err) == (1, where) and '"golden": "mismatch"' in out
    status, out, err = run(capsys, *command)
    assert (status, err) == (1, "") and out.endswith(f"\n{where}golden: mismatch\n")


def agrees_with_counters(folder, simulator, answer):
    """See that a simulation was recorded: as long, with as many words and waits on links as the hardware counts."""
    header = json.loads((folder / "recording.jsonl").read_text().splitlines()[0])
    assert (header["golden"], header["simulator"], header["cycles"]) == ("match", simulator, answer["clocks"])
    for name in ("words", "waited"):
        assert sum(link[name] for link in header["links"]) == answer[name]
    assert (folder / "index.html").exists()
