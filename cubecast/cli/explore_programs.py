"""``cubecast simulate --programs --explore``: the page of a run of programs, from its result and its recording."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cubecast.cli.explore import put
from cubecast.golden.node.contract.config import NodeConfig

__all__ = ["explore_programs"]


def explore_programs(
    folder: Path,
    config: NodeConfig,
    title: str,
    found: Mapping[str, Any],
    recording: Mapping[str, Any],
    more: Mapping[str, Any],
) -> list[Path]:
    """Write recording and page of a run into a folder; return the files.

    Parameters
    ----------
    folder : Path
        Where to; it is made if needed.
    config : NodeConfig
        Parameters of the network.
    title : str
        What its nodes are.
    found : mapping
        The result, as ``cubecast simulate --programs --json`` prints it.
    recording : mapping
        What the playback recorded.
    more : mapping
        What else the header has.
    """
    recorded = dict(recording)
    events, messages = recorded.pop("events"), recorded.pop("messages")
    header = {
        "title": title,
        "system": "node",
        "dim": config.dim,
        "cycles": found["clocks"],
        "golden": found["golden"],
        **more,
        "faults": found["config"]["faults"],
        "parameters": found["config"],
        "messages": [
            message | {"data_words": words} for message, words in zip(messages, recorded.pop("payloads"), strict=True)
        ],
        "links": [link for link in found["links"] if link["words"] or link["waited"]],
        **recorded,
    }
    return put(folder, header, events, config.dim)
