"""Recording of a network with join units under load: packets between the routers, and all-reduces beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from cubecast.golden.reduction.algorithms.tables import tree_tables
from cubecast.golden.reduction.algorithms.tree import ReductionTree
from cubecast.golden.reduction.contract.config import ReductionConfig
from cubecast.golden.reduction.twins.network import ReductionNetwork
from cubecast.tb.common.patterns import item
from cubecast.tb.common.recording import IN_USE, Wait
from cubecast.tb.crosspoint.playback import Playback
from cubecast.tb.crosspoint.watching import CrosspointWatcher
from cubecast.tb.reduction.watching import ReductionWatcher

__all__ = ["LoadedPlayback"]


class LoadedPlayback(Playback):
    """Twin of the network with join units that records the packets of messages, and all-reduces on one tree.

    Parameters
    ----------
    config : ReductionConfig
        Parameters of the network.
    tree : ReductionTree
        The tree.
    count : int
        How many all-reduces there are, at most.
    """

    def __init__(self, config: ReductionConfig, tree: ReductionTree, count: int) -> None:
        """Start in reset, with nothing recorded."""
        self.joined = ReductionNetwork(config, probe=True)
        routers = [node.router for node in self.joined.routers]
        super().__init__(config.router, network=SimpleNamespace(routers=routers, step=self.joined.step))
        self._tree, self._count = tree, count

    def watch(self, messages: Sequence[Mapping[str, Any]]) -> None:
        """Record cycle by cycle from now on; what all-reduces make is put before the messages of packets, none yet."""
        assert isinstance(messages, list) and not messages
        self._watching = _Watcher(self, messages, self._tree, self._count)


class _Beside:
    """What the watcher of join units has to know of the recorder."""

    def __init__(self, recorder: LoadedPlayback) -> None:
        """Keep the recorder."""
        self.config, self.network, self._recorder = recorder.joined.config, recorder.joined, recorder

    @property
    def now(self) -> int:
        """The cycle."""
        return self._recorder.now


class _Watcher(CrosspointWatcher):
    """Units of a node: its router's, then those of its join unit; lane 1 of a link are words of all-reduces."""

    def __init__(
        self, recorder: LoadedPlayback, messages: list[dict[str, Any]], tree: ReductionTree, count: int
    ) -> None:
        """Number what all-reduces make, and then the units."""
        super().__init__(recorder, messages)
        tables = tree_tables(recorder.joined.config, tree)
        group = {"tables": [[node, table] for node, table in tables.items()], "context": 0}
        group["offers"] = [[node] for node in tree.members]
        unit = len(super().parts()["units"])
        self.joins = ReductionWatcher(
            _Beside(recorder), [group], rounds=count, unit=unit, lane=1, recording=self.recording
        )
        each = len(tree.nodes)
        for place, message in enumerate(self.joins.messages):
            number, of = divmod(place, each)
            name = f"all-reduce {number}"
            messages.append({**message, "what": f"result of {name}" if of == each - 1 else name})
        # Of the cycle: messages of all-reduces and of packets that cross links.
        self._joined: dict[tuple[int, int], int] = {}
        self._crossing: dict[tuple[int, int], int] = {}

    def parts(self) -> dict[str, Any]:
        """Return the units of a node."""
        routers, joins = super().parts(), self.joins.parts()
        # A queue of a router says more of its words than one of a join unit.
        renamed = {"queue": "join queue"}
        units = [[name, renamed.get(kind, kind)] for name, kind in joins["units"]]
        kinds = {renamed.get(kind, kind): fields for kind, fields in joins["kinds"].items()}
        return routers | {"units": [*routers["units"], *units], "kinds": routers["kinds"] | kinds}

    def look(self) -> None:
        """See which queues have words, and what words of all-reduces wait for."""
        super().look()
        self.joins.look()

    def show(self, inputs: Mapping[str, int], outputs: Mapping[str, Any]) -> None:
        """Record the cycle; the network has already taken the edge."""
        self._joined = self.joins.words(inputs, outputs)
        self._crossing = {
            (node, j): self.recorder.sent[node, j].message
            for j in range(self.config.dim)
            for node in range(self.config.nodes if outputs[f"link_{j}_push"] else 0)
            if item(outputs[f"link_{j}_push"], node, self.config.ports)
        }
        super().show(inputs, outputs)
        self.joins.count(inputs, outputs)

    def waiting(self) -> dict[tuple[int, int, int], Wait]:
        """Return the words of packets and of all-reduces that stood ready in this cycle and did not move."""
        return super().waiting() | self.joins.waiting(self._joined | self._crossing)

    def why(self, node: int, j: int, heads: Mapping[int, int]) -> tuple[str, int]:
        """Return why a word of a packet does not go through an output, and the message that it waits for."""
        return (IN_USE, self._joined[node, j]) if (node, j) in self._joined else super().why(node, j, heads)

    def served(self, node: int, j: int, order: Sequence[int]) -> list[int]:
        """Return the units that requesters of an output stand for; the last one is the join unit, or its results."""
        if j == self.config.local:
            return super().served(node, j, order)
        join = len(self.network.routers[node].outputs[j].requesters)
        unit = self.joins.sends(node, j)
        return [unit if k == join else super(_Watcher, self).served(node, j, [k])[0] for k in order]

    def stirred(self) -> set[int]:
        """Return the nodes whose units may have changed since this was asked before."""
        return super().stirred() | self.joins.stirred()

    def hold(self, cycle: int, node: int) -> None:
        """Record what the units of a node hold."""
        super().hold(cycle, node)
        self.joins.hold(cycle, node)

    def summed_up(self, handed: Any = (), taken: Any = None) -> dict[str, Any]:
        """Return what the header says of the run; the neighbour gets what a node makes of an all-reduce."""
        return super().summed_up({*handed, *self.joins.handed}, taken)
