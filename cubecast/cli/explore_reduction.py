"""Recordings of reductions by join units: cycle by cycle, from the run on the network."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from cubecast.cli.explore import check_words, write_summed_up
from cubecast.golden.reduction.contract.config import ReductionConfig
from cubecast.options.usage import UsageError

__all__ = ["check_explored", "explore_reduction"]

LARGEST_DIM = 8
"""Largest cube whose golden network is run and recorded within a minute."""


def check_explored(dim: int, length: int) -> None:
    """Raise ``UsageError`` for a cube that is too large, or vectors that are too long, to be recorded."""
    if dim > LARGEST_DIM:
        raise UsageError(f"dim must be an integer from 2 to {LARGEST_DIM} with --explore, not {dim}")
    check_words(1 << dim, length)


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
    recorded = record["recording"]
    cycles = max((delivery["last_cycle"] for delivery in recorded["deliveries"]), default=-1) + 1
    told = recorded | {"cycles": cycles}
    return write_summed_up(folder, "reduction", config, title, told, simulated, faults, links)
