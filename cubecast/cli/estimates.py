"""Estimates in words and as plain values, for ``cubecast synth`` and ``cubecast generate``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cubecast.options.usage import UsageError
from cubecast.systems import System, Unit
from cubecast.tb.measure.estimate import Estimate, estimate, fitting
from cubecast.tb.measure.targets import TARGETS

__all__ = ["DEVICES", "of_unit", "plain", "told"]

DEVICES = {name: target for target, about in TARGETS.items() for name in about.parts}
"""Devices of all targets, and their targets."""


def of_unit(system: System, unit: Unit, config: Any, target: str, *, axi: bool = False) -> tuple[Estimate, int]:
    """Return the estimate of a unit, or of the routers of a network, and how many there are.

    Raises
    ------
    UsageError
        There are too few points of it.
    """
    if axi:
        raise UsageError("estimate must be of a unit without axi: none with it was measured")
    called = unit.called
    if unit.cube:
        name = called.removesuffix("network") + "router"
        called = name if any(other.called == name for other in system.units) else called
    count = 1 << config.to_json()["dim"] if called != unit.called else 1
    return estimate(called, target, config.to_json()), count


def plain(found: Estimate, count: int, target: str) -> dict[str, Any]:
    """Return an estimate as plain values; ``fits`` says of each device of the target whether the design does."""
    figures = {kind: None if value is None else value * count for kind, value in found.figures.items()}
    fits = fitting(target, figures["lut"] or 0, figures["bram"] or 0)
    error = {name: {"median": median, "worst": worst} for name, (median, worst) in found.error.items()}
    about = {
        "points": found.points,
        "error": error,
        "beyond": list(found.beyond),
        "revision": found.nearest["revision"],
    }
    return {"target": target, "routers": count, **figures, "mhz": found.mhz, **about, "fits": fits}


def told(values: dict[str, Any], device: str | None = None) -> Iterator[str]:
    """Yield the lines that tell an estimate, and whether the design fits a device."""
    each = f" of {values['routers']} routers" if values["routers"] > 1 else ""
    rate = "" if values["mhz"] is None else f", {values['mhz']:g} MHz"
    yield f"estimate{each} on {values['target']}: {values['lut']:,} LUTs, {values['ff']:,} flip-flops{rate}"
    errors = "; ".join(
        f"{'MHz' if name == 'mhz' else 'LUTs'} {error['median']:g} %, at worst {error['worst']:g} %"
        for name, error in values["error"].items()
    )
    yield f"error of an estimate from the other {values['points'] - 1} points: {errors}"
    if values["beyond"]:
        yield f"outside of what was measured: {', '.join(values['beyond'])}"
    if device is not None:
        part = TARGETS[values["target"]].parts[device]
        word = "fits" if values["fits"][device] else "does not fit"
        yield f"{word} {device}, which has {part.luts:,} LUTs and {part.blocks} block memories"
