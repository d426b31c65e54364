"""Run: one campaign, from the parameters to what came of it."""

from __future__ import annotations

import dataclasses
from typing import Any

from cubecast.golden.common.contract.parameters import integer
from cubecast.golden.multicast.contract.config import Config
from cubecast.tb.campaigns.saturation.build import ENGINES, build, network
from cubecast.tb.engine import programs
from cubecast.tb.engine.parallel import LARGEST

__all__ = ["FAULTS", "STALLS", "Campaign", "run"]

FAULTS = ("none", "rule", "live")
"""No faults; nodes, at most one beside each fault-free node; links and nodes that fail and are repaired at any time."""

STALLS = ("none", "random")
"""The processors always take what is delivered to them, or stop now and then."""

MOST = 100_000_000
PATIENCE = 10_000


@dataclasses.dataclass(frozen=True, kw_only=True)
class Campaign:
    """What is sent, and what happens meanwhile.

    Parameters
    ----------
    messages : int
        Messages that all processors together send, 1 to 100,000,000.
    faults, stalls : str
        One of :data:`FAULTS` and :data:`STALLS`.
    malformed : float
        Share of malformed messages, 0 to 1; each class is as likely.
    mix : tuple of int
        Weights of unicasts, multicasts, lists that are too long for the multicaster, and broadcasts, 0 to 1000 each.
        A kind that the parameters of the router do not allow is left out.
    seed : int
        Of everything random, 0 to 2**64 - 1.
    patience : int
        Cycles without any word injected, delivered or reported after which the network is at a standstill.

    Raises
    ------
    ValueError
        A parameter is out of range.
    """

    messages: int = 100_000
    faults: str = "none"
    stalls: str = "random"
    malformed: float = 0.0
    mix: tuple[int, int, int, int] = (4, 4, 1, 1)
    seed: int = 1
    patience: int = PATIENCE

    def __post_init__(self) -> None:
        """Check everything."""
        for name, low, high in (("messages", 1, MOST), ("seed", 0, 2**64 - 1), ("patience", 1, 10**9)):
            integer(name, getattr(self, name), low, high)
        for name, allowed in (("faults", FAULTS), ("stalls", STALLS)):
            if getattr(self, name) not in allowed:
                raise ValueError(f"{name} must be one of {', '.join(allowed)}, not {getattr(self, name)!r}")
        if not 0 <= self.malformed <= 1:
            raise ValueError(f"malformed must be a number from 0 to 1, not {self.malformed!r}")
        good = len(self.mix) == 4 and all(type(part) is int and 0 <= part <= 1000 for part in self.mix)
        if not good or self.mix[0] + self.mix[3] == 0:
            raise ValueError(
                "mix must be four integers from 0 to 1000, unicast or broadcast above 0, "
                f"not {','.join(map(str, self.mix))}"
            )

    def check(self, config: Config) -> None:
        """Raise ``ValueError`` if a network with these parameters cannot run the campaign."""
        if config.dim > LARGEST:
            raise ValueError(f"dim must be an integer from 2 to {LARGEST} here, not {config.dim}")
        least = config.dim + self.messages.bit_length()
        if not least <= config.width <= 64:
            raise ValueError(
                f"width must be an integer from {least} to 64 here, so that a word can name each of {self.messages} "
                f"messages, not {config.width}"
            )
        if self.faults != "none" and not config.fault_tolerant:
            raise ValueError(f"faults must be none when fault_tolerant is False, not {self.faults!r}")

    def arguments(self) -> dict[str, object]:
        """Return the arguments of the program."""
        values = dataclasses.asdict(self)
        weights = zip(("unicast", "multicast", "listed", "broadcast"), values.pop("mix"), strict=True)
        return values | dict(weights)


def run(
    config: Config,
    campaign: Campaign,
    *,
    engine: str = ENGINES[0],
    speed: str = "run",
    verilog: str | None = None,
    progress: bool = False,
) -> dict[str, Any]:
    """Run a campaign; return what came of it as plain values, ``outcome`` first.

    ``outcome`` is ``drained`` if all is well: every destination got its message once, or was reported where that is
    allowed; every malformed message was reported with its reason; the routers' counters say the same. Else it is
    ``wrong`` or ``standstill``, and ``text`` says what and when. Latencies are in cycles, from the first word taken to
    the last one delivered; the mean is over messages with payload that got to all their destinations.

    Parameters
    ----------
    config : Config
        Parameters of the network.
    campaign : Campaign
        What is sent.
    engine : str
        One of :data:`cubecast.tb.campaigns.saturation.build.ENGINES`; what comes of a campaign does not depend on it.
    speed : str
        ``"run"``: for long campaigns; ``"build"``: compile quickly.
    verilog : str
        Modules of another network in place of the one of ``config``.
    progress : bool
        Let the program tell on standard error how far it is.

    Raises
    ------
    ValueError
        A parameter is out of range.
    SimulatorError
        A tool is missing or fails, or the program does.
    """
    if engine not in ENGINES:
        raise ValueError(f"engine must be one of {', '.join(ENGINES)}, not {engine!r}")
    campaign.check(config)
    program = build(config, verilog or network(config), engine=engine, speed=speed)
    return programs.campaign(program, campaign.arguments(), progress=progress)
