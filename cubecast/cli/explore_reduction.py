"""Recordings of reductions by join units: cycle by cycle, from the run on the network."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from cubecast.cli.explore import put
from cubecast.golden.reduction.contract.config import ReductionConfig
from cubecast.options.usage import UsageError

__all__ = ["MOST", "check_explored", "explore_reduction"]

MOST = 65_536
"""Words offered by all nodes in a run that is recorded: 1,024 of each of 64 nodes."""


LARGEST_DIM = 8
"""Largest cube whose golden network is run and recorded within a minute."""


def check_explored(dim: int, length: int) -> None:
    """Raise ``UsageError`` for a cube that is too large, or vectors that are too long, to be recorded."""
    if dim > LARGEST_DIM:
        raise UsageError(f"dim must be an integer from 2 to {LARGEST_DIM} with --explore, not {dim}")
    nodes = 1 << dim
    if length * nodes > MOST:
        raise UsageError(f"vectors must have at most {MOST // nodes} words with --explore, not {length}")


def explore_reduction(
    folder: Path,
    config: ReductionConfig,
    record: Mapping[str, Any],
    title: str,
    simulated: Mapping[str, Any],
    faults: Iterable[int],
    links: Iterable[Sequence[int]],
) -> list[Path]:
    """Write recording and page of a run; return the files.

    Parameters
    ----------
    folder : Path
        Where to.
    config : ReductionConfig
        Parameters of the network.
    record : mapping
        Of :func:`cubecast.tb.reduction.playback.play` or ``play_golden``, with ``"recording"``.
    title : str
        What is done.
    simulated : mapping
        ``"golden"``, and ``"simulator"`` if hardware was run.
    faults, links : iterable
        Faulty nodes and links.
    """
    recorded = dict(record["recording"])
    events = recorded.pop("events")
    payloads = zip(recorded.pop("messages"), recorded.pop("payloads"), strict=True)
    header = {
        "title": title,
        "system": "reduction",
        **simulated,
        "dim": config.dim,
        "cycles": max((delivery["last_cycle"] for delivery in recorded["deliveries"]), default=-1) + 1,
        "faults": sorted({*faults}),
        "faulty_links": sorted([*link] for link in links),
        "parameters": config.to_json(),
        "messages": [message | {"data_words": words} for message, words in payloads],
        "counted": "the recording",
        "errors": [],
        **recorded,
    }
    return put(folder, header, events, config.dim)
