"""Testbench of a whole network with collectives that runs given operations and records what comes of them.

A run is a list of groups. A group is a set of tables and one or more rounds of the operation that they stand for; a
node begins its next round as soon as it has ended one, whatever the others do. Between groups all nodes are idle.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.collective.contract.registers import Table, entries
from cubecast.golden.collective.twins.network import CollectiveNetwork
from cubecast.tb.collective.network import Counts, Hosts, Steps, waiting, write_faults, write_tables
from cubecast.tb.collective.watching import CollectiveWatcher
from cubecast.tb.common.playback import Outputs
from cubecast.tb.harness.bench import RESET_CYCLES, Bench
from cubecast.tb.harness.lockstep import lockstep

__all__ = ["BENCH", "Playback", "group", "measured_steps", "play", "play_golden", "stimulus"]

OVERHEAD = 200
"""Cycles that the tables of a group, and reading back after it, take at most."""


class Playback:
    """Twin of the network with collectives that also keeps what the stimulus records.

    Parameters
    ----------
    config : CollectiveConfig
        Parameters of the network.
    probe : bool
        Whether the links can be seen.
    """

    def __init__(self, config: CollectiveConfig, probe: bool = True) -> None:
        """Start in reset, with nothing recorded."""
        self.config, self.network = config, CollectiveNetwork(config, probe=probe)
        self.record: list[dict[str, Any]] = []
        self._watching: CollectiveWatcher | None = None
        self._recorded: dict[str, Any] | None = None

    def watch(self, tables: Mapping[int, Table], told: Mapping[str, Any]) -> None:
        """Record cycle by cycle from now on, which is cycle 0; the parameters are those of the watcher."""
        self._watching = CollectiveWatcher(self.network, self.config, tables, told)

    def rest(self, cycles: int | None = None) -> None:
        """Keep what was recorded, and record no more; ``cycles``: how long the run was, if it came to its end."""
        assert self._watching is not None
        told = {"cycles": self._watching.cycles if cycles is None else cycles}
        self._recorded, self._watching = self._watching.result() | told, None

    def step(self, inputs: Mapping[str, int]) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        watching = self._watching
        if watching is not None:
            watching.begin()
            watching.look()
        outputs = Outputs(self.network.step(inputs))
        outputs.recorder = self
        if watching is not None:
            watching.show(inputs, outputs)
        return outputs

    def result(self) -> list[dict[str, Any]]:
        """Return the record, one entry for each group; the first has the ``recording`` of a run that was watched."""
        if self._watching is not None:
            self.rest()
        if self._recorded is None:
            return self.record
        first = self.record[0] if self.record else {}
        return [first | {"recording": self._recorded}, *self.record[1:]]


def group(
    tables: Mapping[int, Table], rounds: Sequence[Mapping[int, Sequence[int]]], *, write: bool = True
) -> dict[str, Any]:
    """Return one group of a run as plain values.

    Parameters
    ----------
    tables : mapping
        Register values by node, of ``merge_tables`` or ``ring_tables``.
    rounds : sequence of mapping
        For every round the words of each node that has any.
    write : bool
        False: the tables are there already, from the group before; only COMMAND is written.
    """
    return {
        "tables": [[node, dict(table)] for node, table in tables.items()],
        "rounds": [[[node, list(words)] for node, words in vectors.items()] for vectors in rounds],
        "write": write,
    }


def play(
    config: CollectiveConfig,
    groups: Sequence[Mapping[str, Any]],
    faults: Sequence[int] = (),
    *,
    simulator: str = "verilator",
    seed: int = 1,
    stall: float = 0.0,
    most: int = 100_000,
    explore: Mapping[str, Any] | None = None,
    waves: Path | None = None,
) -> list[dict[str, Any]]:
    """Run groups on the RTL network in lockstep with its twin; return what was recorded of each.

    An entry has ``cycles`` (from the first start till all are idle), ``vectors`` (by node, the vectors that came out
    at ``vector_out``), ``ended`` (by node, the cycle in which each round ended), ``steps``, ``registers`` (by name,
    then node), ``messages``, ``words`` and ``waited`` (by node, then port, of this group alone), ``reports``,
    ``errors`` (nodes whose vector ended with an error) and ``ejected`` (words that came to a host).

    Parameters
    ----------
    config : CollectiveConfig
        Parameters of the network.
    groups : sequence of dict
        Of :func:`group`.
    faults : sequence of int
        Fault vectors of all routers; none are faulty if not given.
    simulator, seed, waves
        As for :func:`cubecast.tb.harness.lockstep.lockstep`.
    stall : float
        Part of the cycles in which a host offers no word, or takes none.
    most : int
        Cycles of operations, all groups together, after which the run fails.
    explore : mapping, optional
        As for :func:`stimulus`.

    Raises
    ------
    Mismatch
        The two sides differ, or the nodes were not all done in time; the text names those that wait.
    """
    options: dict[str, Any] = {"groups": list(groups), "faults": list(faults), "stall": stall, "most": most}
    done = lockstep(
        BENCH,
        config,
        simulator=simulator,
        cycles=most + OVERHEAD * (len(groups) + 1),
        seed=seed,
        options=options if explore is None else options | {"explore": explore},
        waves=waves,
        timeout=max(600, most / 10),
    )
    found: list[dict[str, Any]] = done.collected
    return found


def play_golden(
    config: CollectiveConfig,
    groups: Sequence[Mapping[str, Any]],
    faults: Sequence[int] = (),
    *,
    seed: int = 1,
    **options: Any,
) -> list[dict[str, Any]]:
    """Run groups on the golden network alone; parameters and result as those of :func:`play`."""
    twin, inputs = Playback(config), {"rst": 1}
    for _ in range(RESET_CYCLES):
        twin.step(inputs)
    steps = stimulus(Random(seed), config, groups, faults, **options)
    inputs = dict(next(steps))
    while True:
        try:
            inputs |= steps.send(twin.step(inputs))
        except StopIteration:
            return twin.result()


def measured_steps(config: CollectiveConfig, tables: Mapping[int, Table], sent: Sequence[int]) -> int:
    """Return the parallel steps of a merge, from the register SENT of every node: for each stage the most hops."""
    layout, most = entries(config), dict[int, int]()
    for node, table in tables.items():
        if layout["SENDS"].unpack(table["SENDS"])["count"]:
            last = layout["SENT"].unpack(sent[node])
            most[last["stage"]] = max(most.get(last["stage"], 0), last["hops"])
    return sum(most.values())


def stimulus(
    random: Random,
    config: CollectiveConfig,
    groups: Sequence[Mapping[str, Any]] = (),
    faults: Sequence[int] = (),
    stall: float = 0.0,
    most: int = 100_000,
    explore: Mapping[str, Any] | None = None,
) -> Steps:
    """Write the fault vectors; then for each group write the tables, start the nodes, feed, collect, and read back.

    Parameters
    ----------
    random : Random
        Decides when hosts stall.
    config : CollectiveConfig
        Parameters of the network.
    groups : sequence of dict
        Of :func:`group`.
    faults : sequence of int
        Fault vectors of all routers; none are faulty if not given.
    stall : float
        Part of the cycles in which a host offers no word, or takes none.
    most : int
        Cycles of operations, all groups together, after which the run fails.
    explore : mapping, optional
        Of :mod:`cubecast.tb.collective.pieces`: what the first group does, which is recorded cycle by cycle then.

    Raises
    ------
    TimeoutError
        The cycles have run out; the text names the nodes that wait.
    ValueError
        The group that is to be recorded has several rounds, whose messages cannot be told apart.
    """
    if explore is not None and len(groups[0]["rounds"]) != 1:
        raise ValueError(f"rounds must be 1 in a group that is recorded, not {len(groups[0]['rounds'])}")
    yield from write_faults(config, faults or [0] * config.nodes)
    left = most
    counts = Counts(config)
    for number, each in enumerate(groups):
        watched = explore if not number else None
        tables: dict[int, Table] = dict(each["tables"])
        if each["write"]:
            yield from write_tables(config, tables)
        hosts = Hosts(random, config, tables, [dict(vectors) for vectors in each["rounds"]], stall)
        if watched is not None:
            outputs = yield {}
            outputs.recorder.watch(tables, watched)
        yield from hosts.run(left)
        if watched is not None:
            outputs = yield {}
            outputs.recorder.rest(None if hosts.pending else hosts.cycle)
        left -= hosts.cycle
        registers: dict[str, list[int]] = {}
        counted = yield from counts.read(registers)
        if hosts.pending:
            raise TimeoutError(f"cycles must be enough for all nodes, not {most}: {waiting(hosts, registers)}")
        found = {"clocks": hosts.cycle, "vectors": hosts.vectors, "ended": hosts.ended, "errors": hosts.errors}
        found |= {"reports": hosts.reports, "ejected": hosts.ejected, "registers": registers}
        outputs = yield {}
        outputs.recorder.record.append(found | counted | {"steps": measured_steps(config, tables, registers["SENT"])})


BENCH = Bench(
    unit="collective.network:CollectiveNetwork",
    twin="cubecast.tb.collective.playback:Playback",
    stimulus=stimulus,
    collect=Playback.result,
    extra={"probe": True},
)
