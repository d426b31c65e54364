"""Estimates in words and as plain values, for ``cubecast synth`` and ``cubecast generate``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from cubecast.options.usage import UsageError
from cubecast.systems import System, Unit
from cubecast.systems.system import Memory
from cubecast.tb.measure.estimate import Estimate, Known, NoPointsError, estimate, fitting, measured_units
from cubecast.tb.measure.targets import TARGETS

__all__ = ["DEVICES", "NoPointsError", "check_room", "of_unit", "on_device", "plain", "room", "told"]

DEVICES = {name: target for target, about in TARGETS.items() for name in about.parts}
"""Devices of all targets, and their targets."""

SHRINKS = 0.25
"""Part by which a network may fill fewer LUTs than its routers do alone: in it their addresses are constants.

Of the smallest networks it was 1 % with packet routers, 13 % with multicast and 18 % with crosspoint routers.
"""

UNSURE = 1.5
"""How many times what a device has a design must need to be refused for it, where the error is not known.

Of the points with a parameter outside of all others none is said to need more than 1.05 times what it fills.
"""


def of_unit(system: System, unit: Unit, config: Any, target: str, *, axi: bool = False) -> tuple[Estimate, int]:
    """Return the estimate of a unit, or of the routers of a network, and how many there are.

    Raises
    ------
    NoPointsError
        There are too few points of it.
    """
    if axi:
        raise NoPointsError("estimate must be of a unit without axi: none with it was measured")
    called = _measured_as(system, unit)
    count = 1 << config.to_json()["dim"] if called != unit.called else 1

    def memories(parameters: Mapping[str, Any]) -> tuple[Memory, ...]:
        return system.memories(system.config.from_json(parameters))

    return estimate(called, target, config.to_json(), memories=memories), count


def _measured_as(system: System, unit: Unit) -> str:
    """Return the unit that was measured in the place of one: of a network its router."""
    router = unit.called.removesuffix("network") + "router"
    return router if unit.cube and any(other.called == router for other in system.units) else unit.called


def on_device(system: System, unit: Unit, config: Any, device: str, *, axi: bool = False) -> dict[str, Any]:
    """Return what :func:`plain` says of a unit on the target of a device.

    Raises
    ------
    UsageError
        There is no such device, or there are too few points for it.
    """
    if device not in DEVICES:
        raise UsageError(f"device must be one of {', '.join(DEVICES)}, not {device!r}")
    target = DEVICES[device]
    try:
        return plain(*of_unit(system, unit, config, target, axi=axi), target)
    except NoPointsError:
        pass
    about = measured_units()
    targets = [where for name, where in about if name == _measured_as(system, unit)]
    if axi or not targets:
        what = f"{unit.called} with axi" if axi else unit.called
        units = ", ".join(dict.fromkeys(name for name, _ in about))
        has = f"there are points of {units} and their networks, without axi"
        raise UsageError(f"device must be left out with {what}, of which no points were measured, not {device}; {has}")
    measured = ", ".join(name for name, target in DEVICES.items() if target in targets)
    where = f"not {device} ({target}), for which no points were measured"
    raise UsageError(f"device must be one of {measured} with {unit.called}, {where}")


def plain(found: Estimate, count: int, target: str) -> dict[str, Any]:
    """Return an estimate as plain values; ``fits`` says of each device of the target whether the design does."""
    figures = {kind: None if value is None else value * count for kind, value in found.figures.items()}
    least, most = (each * count for each in found.occupied)
    least = round(least * (1 - SHRINKS)) if count > 1 else least
    about = {
        "occupied": {"least": least, "most": most},
        "error": {name: _error(known) for name, known in found.known.items()},
        "revision": found.nearest["revision"],
        "fits": fitting(target, least, most, figures["bram"] or 0),
    }
    return {"target": target, "routers": count, **figures, "mhz": found.mhz, **about}


def _error(known: Known) -> dict[str, Any]:
    """Return what is known of a figure as plain values."""
    median, worst = known.error or (None, None)
    return {"points": known.points, "median": median, "worst": worst, "beyond": list(known.beyond)}


FITS = {True: "fits", False: "does not fit", None: "near the limit: may not fit"}
"""What is said of a device."""


def told(values: dict[str, Any], device: str | None = None) -> Iterator[str]:
    """Yield the lines that tell an estimate, and whether the design fits a device."""
    each = f" of {values['routers']} routers" if values["routers"] > 1 else ""
    rate = "" if values["mhz"] is None else f", {values['mhz']:g} MHz"
    yield f"estimate{each} on {values['target']}: {values['lut']:,} LUTs, {values['ff']:,} flip-flops{rate}"
    for name, error in values["error"].items():
        figure, points = "MHz" if name == "mhz" else "LUTs", error["points"]
        if error["beyond"]:
            outside = ", ".join(error["beyond"])
            yield f"error of {figure}: not known, outside of what was measured at {points} points: {outside}"
        else:
            errors = f"median {error['median']:g} %, worst {error['worst']:g} %"
            yield f"error of {figure}, each of {points} points estimated from the others: {errors}"
    if device is not None:
        unknown = values["error"]["lut"]["beyond"]
        word = f"{FITS[values['fits'][device]]} {device}" + (", if the estimate holds there" if unknown else "")
        yield f"{word}: {room(values, device)}"


def room(values: Mapping[str, Any], device: str) -> str:
    """Return the words for what an estimate needs of what a device has."""
    part, occupied = TARGETS[values["target"]].parts[device], values["occupied"]
    luts = f"{occupied['least']:,} to {occupied['most']:,} of {part.luts:,} LUTs as placed"
    return f"{luts}, {values['bram'] or 0:,} of {part.blocks} block memories"


def check_room(values: Mapping[str, Any], device: str | None, *, wide: bool = True) -> None:
    """See that a design may fit a device, or any one of the target if none is named.

    Parameters
    ----------
    values : mapping
        What :func:`plain` says of it.
    device : str, optional
        Which device.
    wide : bool
        Whether it has functions of several LUTs, as the points have; without them its error is not known.

    Raises
    ------
    UsageError
        By its estimate it cannot.
    """
    target = values["target"]
    times = UNSURE if values["error"]["lut"]["beyond"] or not wide else 1
    occupied, blocks = values["occupied"], values["bram"] or 0
    holds = fitting(target, occupied["least"] / times, occupied["most"], blocks / times)
    chosen = device or list(TARGETS[target].parts)[-1]
    if holds[chosen] is False:
        others = ", ".join(name for name, held in holds.items() if held is not False)
        which = f"not {'' if device else 'even '}{chosen}"
        need = f"{which}: estimated at {room(values, chosen)}; others that may: {others or 'none'}"
        raise UsageError(f"device must be one that can hold the design, {need}")
