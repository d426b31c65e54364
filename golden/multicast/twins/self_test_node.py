"""Self-test node: a router with a traffic generator and a traffic checker in place of its processor."""

from __future__ import annotations

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.contract.self_test import CHECKER, Checker, Generator
from cubecast.golden.multicast.twins.router import Router
from cubecast.golden.multicast.twins.traffic_checker import TrafficChecker
from cubecast.golden.multicast.twins.traffic_generator import TrafficGenerator

__all__ = ["SelfTestNode", "Traffic"]

MASK = 0xFFFFFFFF


class Traffic:
    """Generator and checker of one node, and the registers beside them.

    Parameters
    ----------
    config : Config
        Parameters of the router.
    address : int
        Address of the node.
    """

    def __init__(self, config: Config, address: int = 0) -> None:
        """Start in reset."""
        self.generator = TrafficGenerator(config, address)
        self.checker = TrafficChecker(config, address)
        self.reset()

    def strap(self, address: int) -> None:
        """Set the address of the node."""
        self.generator.address = self.checker.address = address

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.generator.reset()
        self.checker.reset()
        self.missing = self.difference = 0
        self._of_checker = 0

    @property
    def read_data(self) -> int:
        """What the register port reads in this cycle."""
        return self.checker.read_data if self._of_checker else self.generator.read_data

    def edge(
        self,
        moved: int,
        word: tuple[int, int, int] | None,
        start: int,
        address: int,
        write: int,
        data: int,
    ) -> None:
        """Take the edge of a cycle.

        Parameters
        ----------
        moved : int
            Whether the generator's word is taken.
        word : data, last and error, or None
            The word that the checker takes.
        start : int
            The input of this name.
        address, write, data : int
            Access to the registers of both.
        """
        generator, checker = self.generator, self.checker
        sent, came = generator.registers, checker.registers
        self.missing = sent[Generator.EXPECTED] - came[Checker.DELIVERED] & MASK
        self.difference = sent[Generator.SIGNATURE] - came[Checker.SIGNATURE] & MASK
        self._of_checker = address & CHECKER
        low = address & CHECKER - 1
        generator.edge(moved, start, low, int(write and not self._of_checker), data)
        checker.edge(word, low, int(write and self._of_checker), data)


class SelfTestNode:
    """Twin of the self-test node.

    Parameters
    ----------
    config : Config
        Parameters of the router.
    """

    def __init__(self, config: Config) -> None:
        """Start in reset."""
        self.config = config
        self.router = Router(config)
        self.traffic = Traffic(config)

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get, traffic = inputs.get, self.traffic
        traffic.strap(get("address", 0))
        word, ready = traffic.generator.offer(), traffic.checker.ready
        data, last, error = word or (0, 0, 0)
        own = {"inject__valid": int(word is not None), "inject__data": data, "inject__last": last}
        outputs = self.router.step({**inputs, **own, "inject__error": error, "eject__ready": ready})
        moved = int(word is not None and outputs.pop("inject__ready") == 1)
        came = [outputs.pop(f"eject__{name}") for name in ("valid", "data", "last", "error")]
        outputs |= {
            "test__read_data": traffic.read_data,
            "idle": int(traffic.generator.idle),
            "failed": traffic.checker.failed,
            "missing": traffic.missing,
            "difference": traffic.difference,
        }
        outputs.pop("inject__ready", None)
        if get("rst"):
            traffic.reset()
            return outputs
        taken = (came[1] or 0, came[2] or 0, came[3] or 0) if came[0] and ready else None
        access = (get("test__address", 0), get("test__write", 0), get("test__write_data", 0))
        traffic.edge(moved, taken, get("start", 0), *access)
        return outputs
