"""Recording of a network under load: the run of one offered load, on the golden network."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cubecast.cli.explore import put
from cubecast.explorer import MODEL
from cubecast.options.usage import UsageError
from cubecast.systems import system_of
from cubecast.systems.load import Window

__all__ = ["MOST", "check_explored", "explore_load"]

MOST = 640_000
"""Cycles times nodes in which messages arrive in a run that is recorded: 10,000 cycles of 64 nodes."""

ENGINES_ALONE = ("cycles", "seconds")
"""Of a point's figures, what is not the network's."""


def check_explored(config: Any, window: Window, rates: Sequence[float]) -> None:
    """Raise ``UsageError`` unless such a run can be recorded."""
    if len(rates) != 1:
        raise UsageError(f"rates must be one offered load with --explore, not {len(rates)}")
    if window.whole * config.nodes > MOST:
        most = MOST // config.nodes
        raise UsageError(f"cycles in which messages arrive must be at most {most} with --explore, not {window.whole}")


def explore_load(folder: Path, config: Any, result: dict[str, Any], rate: float) -> list[Path]:
    """Write recording and page of the one point of a result; return the files.

    The point is run on the golden network once more, and its figures are compared with those of the result: if an
    engine has run hardware, they are the hardware's.
    """
    from cubecast.tb.campaigns.curves.run import joining_of, point
    from cubecast.tb.campaigns.curves.watched import Tap, recorded

    parameters, (measured,) = dict(result["parameters"]), result["points"]
    engine, seed = parameters.pop("engine"), parameters.pop("seed")
    reductions = parameters.get("reductions")
    joining = reductions and joining_of(parameters["traffic"], parameters["window"], reductions)
    tap = Tap(parameters["system"], config, joining)
    again = point(seed, **parameters, engine="golden", offered=rate, attach=tap.attach)
    same = all(again[name] == value for name, value in measured.items() if name not in ENGINES_ALONE)
    judged = MODEL if engine == "golden" else "match" if same else "mismatch"
    parts, events = recorded(tap)
    traffic = parameters["traffic"]
    beside = f", all-reduces of {reductions['words']} words beside" if reductions else ""
    given = {"reductions": reductions} if reductions else {}
    header = {
        "title": f"loaded {'' if engine == 'golden' else 'RTL '}{system_of(config).report.title(config)}{beside}",
        "system": parameters["system"],
        "dim": config.dim,
        "cycles": again["cycles"],
        "golden": judged,
        "seed": seed,
        "faults": [*traffic["faults"]],
        "faulty_links": [[*link] for link in traffic["faulty_links"]],
        "parameters": config.to_json(),
        "load": {"rate": rate, "traffic": traffic, "window": parameters["window"], "engine": engine, **given},
        "point": {name: value for name, value in measured.items() if name != "seconds"},
        **parts,
    }
    header["messages"] = [{**message, "data_words": None} for message in header["messages"]]
    return put(folder, header, events, config.dim)
