"""All studies. A new file with a list ``STUDIES`` is added by one line here."""

from __future__ import annotations

from importlib import import_module

from cubecast.study.model import Study, StudyError

__all__ = ["FILES", "all_studies", "find_studies"]

FILES = (
    "lan.uniform",
    "lan.decreasing",
    "lan.fault_model",
    "lan.large",
    "lan.hamming",
    "buzzard.message_times",
    "buzzard.collisions",
    "buzzard.packet_times",
    "buzzard.packet_sizes",
    "buzzard.buffers",
    "buzzard.large",
    "checks.queue",
    "checks.latency",
    "checks.packets",
    "leu.success",
    "leu.steps",
    "leu.lost",
    "lin.hops",
)
"""Modules below ``cubecast.study``, in the order in which their studies are listed and run."""


def all_studies() -> dict[str, Study]:
    """Return every study by its name, in order."""
    studies: dict[str, Study] = {}
    for file in FILES:
        for study in import_module(f"cubecast.study.{file}").STUDIES:
            if study.name in studies:
                raise ValueError(f"name must belong to one study only, not {study.name!r}")
            studies[study.name] = study
    return studies


def find_studies(name: str) -> list[Study]:
    """Return the study of this name, or all for ``all``.

    Raises
    ------
    StudyError
        There is none.
    """
    studies = all_studies()
    if name == "all":
        return list(studies.values())
    if name not in studies:
        raise StudyError(f"NAME must be list, all or one of {', '.join(studies)}, not {name!r}")
    return [studies[name]]
