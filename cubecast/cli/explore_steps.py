"""Recordings of what is routed, merged or sent round a ring: the golden model's, in steps, without hardware."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from cubecast.cli.explore import put
from cubecast.explorer import MODEL, STEP
from cubecast.golden.collective.algorithms.group_ring import GroupRing
from cubecast.golden.collective.algorithms.merge_operations import Vector
from cubecast.golden.collective.algorithms.merge_run import CROSSES, HELD, MERGED, MergeEvent, MergeRun
from cubecast.golden.collective.algorithms.result_spread import spread
from cubecast.golden.crosspoint.algorithms.packets import Header, tree
from cubecast.golden.crosspoint.algorithms.splitting import Plan
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.word import Kind
from cubecast.golden.multicast.algorithms.tree import MulticastTree
from cubecast.options.usage import UsageError
from cubecast.tb.collective.pieces import called
from cubecast.tb.common.recording import IN_USE, NO_MESSAGE, NOBODY, NOTHING, Recording, beginning

__all__ = [
    "LARGEST_DIM",
    "check_explored",
    "check_members",
    "explore_merge",
    "explore_packets",
    "explore_ring",
    "explore_tree",
]

SMALLEST_DIM, LARGEST_DIM = 2, 10
"""Cubes that the page draws."""

MOST_MEMBERS = 512
"""Members of a ring that is recorded: they take 1.6 GB, and twice as many would take eight times as much."""


def check_explored(dim: int) -> None:
    """Raise ``UsageError`` for a cube that the page does not draw."""
    if not SMALLEST_DIM <= dim <= LARGEST_DIM:
        raise UsageError(f"dim must be an integer from {SMALLEST_DIM} to {LARGEST_DIM} with --explore, not {dim}")


class _Steps:
    """A recording in the making.

    Parameters
    ----------
    dim : int
        Dimension of the cube.
    unit : tuple
        Name, kind and fields of the one unit that a node has.
    """

    def __init__(self, dim: int, unit: tuple[str, str, Sequence[str]]) -> None:
        """Start with nothing."""
        self.dim = dim
        self.unit = unit
        self.recording = Recording()
        self.messages: list[dict[str, Any]] = []
        self.deliveries: list[dict[str, Any]] = []
        self.errors: list[dict[str, Any]] = []
        self.crossed: Counter[tuple[int, int]] = Counter()
        self.sent: Counter[tuple[int, int]] = Counter()
        self.waited: Counter[tuple[int, int]] = Counter()
        self.steps = 0

    def message(
        self, source: int, destinations: Iterable[int], start: int, data: int | None, what: str | None = None
    ) -> int:
        """Keep a message; return its place. ``data``: how many of the last words of each copy are data."""
        place = len(self.messages)
        about = {"message": place, "source": source, "destinations": list(destinations), "start_cycle": start}
        self.messages.append(about | {"data_words": data} | ({} if what is None else {"what": what}))
        return place

    def cross(self, step: int, node: int, to: int, message: int, words: Sequence[int]) -> None:
        """Let a message cross a link in a step."""
        dimension = (node ^ to).bit_length() - 1
        self.recording.event(step, "links", [node, dimension, 0, message, *_at_once(words)])
        self.crossed[node, to] += len(words)
        self.sent[node, to] += 1
        self.steps = max(self.steps, step + 1)

    def arrive(self, step: int, node: int, message: int, words: Sequence[int]) -> None:
        """Let a message come to a node, in the step after the one in which it crossed the last link."""
        self.recording.event(step, "eject", [node, message, *_at_once(words)])
        about = {"message": message, "node": node, "first_cycle": step, "last_cycle": step, "error": False}
        self.deliveries.append(about)
        self.steps = max(self.steps, step + 1)

    def hold(self, step: int, node: int, values: list[Any]) -> None:
        """Let a node have this from a step on."""
        self.recording.unit(step, node, 0, values)

    def write(
        self, folder: Path, system: str, title: str, faults: Iterable[int], links: Iterable[Sequence[int]] = ()
    ) -> list[Path]:
        """Write recording and page; return the files."""
        name, kind, fields = self.unit
        header = {
            "title": title,
            "system": system,
            "time": STEP,
            "golden": MODEL,
            "dim": self.dim,
            "cycles": self.steps,
            "faults": sorted({*faults}),
            "faulty_links": sorted([*link] for link in links),
            "messages": self.messages,
            "deliveries": self.deliveries,
            "links": [
                {"from": a, "to": b, "words": words, "messages": self.sent[a, b], "waited": self.waited[a, b]}
                for (a, b), words in sorted(self.crossed.items())
            ],
            "errors": self.errors,
            "units": [[name, kind]],
            "kinds": {kind: list(fields)},
            "ring": [],
        }
        return put(folder, header, self.recording.result(), self.dim)


def _at_once(words: Sequence[int]) -> list[Any]:
    """Return words that move in one step, with their offsets where these must be said."""
    return [[*words], [0] * len(words)] if len(words) > 1 else [[*words] or [None]]


def explore_tree(folder: Path, found: MulticastTree) -> list[Path]:
    """Write recording and page of a multicast tree; return the files.

    A node sends its copies in the step after the one in which the message came, on all links at once. The words of a
    copy are the number of its destinations and these; a broadcast names none.
    """
    steps = _Steps(found.dim, ("node", "node", ["destinations", "copies through port"]))
    message = steps.message(found.source, found.destinations, 0, 0)
    arrived: dict[int, list[int]] = {found.source: list(found.destinations)}
    for node, decisions in found.nodes.items():
        # Every link leads away from the source.
        step = (node ^ found.source).bit_count()
        for decision in decisions:
            words = [len(decision.destinations), *decision.destinations]
            steps.cross(step, node, decision.to, message, words)
            arrived.setdefault(decision.to, []).extend(decision.destinations)
    for node, decisions in found.nodes.items():
        step = (node ^ found.source).bit_count()
        listed: Any = arrived[node] or "all"
        steps.hold(step, node, [listed, [decision.dimension for decision in decisions]])
        steps.hold(step + 1, node, NOTHING)
        if node in found.delivered:
            steps.arrive(step, node, message, [len(arrived[node]), *arrived[node]])
    for node in found.undeliverable:
        steps.errors.append({"reason": "UNDELIVERABLE", "node": found.source, "message": message, "destination": node})
    return steps.write(folder, "route", f"multicast routers, tree of policy {found.policy}", found.faults)


def explore_packets(
    folder: Path, config: CrosspointConfig, found: Plan, policy: str, faults: Iterable[int], links: Iterable[Any]
) -> list[Path]:
    """Write recording and page of the packets of a message on crosspoint routers; return the files.

    The source sends a packet in each step, a relay sends on what has come. The words of a packet are r1 and r2, or r1
    and the bitmap.
    """
    steps = _Steps(config.dim, ("node", "node", ["copies through port"]))
    for begin, packet in enumerate(found.packets):
        message, at = steps.message(packet.legs[0].source, packet.destinations, begin, 0), begin
        for leg in packet.legs:
            words, way = _header(leg.header), tree(config, leg.source, leg.header)
            came = {leg.source: 0}
            ports: dict[int, list[int]] = {}
            for hop in way.hops:
                to = hop.node ^ 1 << hop.dimension
                came[to] = hop.step
                ports.setdefault(hop.node, []).append(hop.dimension)
                steps.cross(at + hop.step - 1, hop.node, to, message, words)
            for node, dimensions in ports.items():
                steps.hold(at + came[node], node, [dimensions])
                steps.hold(at + came[node] + 1, node, NOTHING)
            for node in way.delivered:
                if node in packet.destinations:
                    steps.arrive(at + came[node], node, message, words)
            at += max(came.values())
    for node, reason in found.unreachable:
        steps.errors.append({"reason": reason.name, "node": node, "message": None})
    title = f"crosspoint routers, packets of policy {policy}"
    return steps.write(folder, "route", title, faults, links)


def _header(header: Header) -> list[int]:
    """Return the words of a packet's header."""
    return [header.r1, header.bitmap if header.kind == Kind.BITMAP else header.r2]


def explore_merge(
    folder: Path,
    run: MergeRun,
    vectors: Mapping[int, Vector],
    operation: str,
    links: Iterable[Sequence[int]],
    faults: Iterable[int],
    *,
    back: bool,
) -> list[Path]:
    """Write recording and page of a merge; return the files.

    Parameters
    ----------
    folder : Path
        Where to.
    run : MergeRun
        The merge, with its events.
    vectors : mapping
        Words by node.
    operation : str
        What it is called.
    links, faults : iterable
        Faulty links and nodes.
    back : bool
        Whether the result goes to all nodes that take part, from neighbour to neighbour.
    """
    plan = run.plan
    steps = _Steps(plan.tree.dim, ("vector", "vector", ["of", "words"]))
    for node in plan.members:
        steps.hold(0, node, ["the node alone", beginning(vectors[node])])
    places: dict[tuple[int, int, int, int], int] = {}
    own: dict[int, list[int]] = {}
    for stage in plan.stages:
        for hop in stage.messages:
            place = steps.message(hop.sender, [hop.receiver], 0, None, called(stage.index, hop))
            places[stage.index, hop.sender, hop.receiver, hop.part] = place
            own.setdefault(hop.sender, []).append(place)
    begun: set[int] = set()
    waits: dict[tuple[int, str, int, int], list[Any]] = {}
    for event in run.events:
        if event.kind == MERGED:
            steps.hold(event.step, event.node, [f"stage {event.stage}", beginning(event.words)])
            continue
        if event.kind not in (CROSSES, HELD):
            coming = [hop for hop in plan.stages[event.stage].messages if (hop.sender, hop.receiver) == _ends(event)]
            by = places[event.stage, event.to, event.node, coming[0].part]
            mine = next((each for each in own.get(event.node, ()) if each not in begun), NOBODY)
            port = (coming[0].path[-2] ^ event.node).bit_length() - 1
            _wait(steps, waits, event, port, mine, NO_MESSAGE, by)
            continue
        assert event.hop is not None
        message = places[event.stage, event.hop.sender, event.hop.receiver, event.hop.part]
        if event.kind == HELD:
            _wait(steps, waits, event, (event.node ^ event.to).bit_length() - 1, message, IN_USE, NOBODY)
            steps.waited[event.node, event.to] += 1
            continue
        if message not in begun:
            begun.add(message)
            steps.messages[message] |= {"start_cycle": event.step, "data_words": len(event.words)}
        steps.cross(event.step, event.node, event.to, message, event.words)
        if event.to == event.hop.receiver:
            steps.arrive(event.step + 1, event.to, message, event.words)
    if back and run.result is not None:
        _spread(steps, run, run.steps)
    return steps.write(folder, "reduce", f"nodes that merge ({operation})", faults, links)


def _ends(event: MergeEvent) -> tuple[int, int]:
    """Return sender and receiver of the message that a node waits for."""
    return event.to, event.node


def _wait(
    steps: _Steps,
    waits: dict[tuple[int, str, int, int], list[Any]],
    event: MergeEvent,
    port: int,
    message: int,
    why: str,
    by: int,
) -> None:
    """Keep that something waits in a step; a wait that goes on is one entry."""
    key = (event.node, why, message, by)
    entry = waits.get(key)
    if entry is None or entry[-1] != event.step:
        entry = waits[key] = [[event.node, 0, port, message, why, by, 0], event.step]
        steps.recording.event(event.step, "waits", entry[0])
    entry[0][-1] += 1
    entry[-1] = event.step + 1


def _spread(steps: _Steps, run: MergeRun, begin: int) -> None:
    """Let the result go back along the tree."""
    way, result = spread(run.plan), list(run.result or ())
    depth = {way.sink: 0}
    message = steps.message(way.sink, sorted(way.parents), begin, len(result), "result")
    for node, parent in way.parents.items():
        depth[node] = depth[parent] + 1
        steps.cross(begin + depth[parent], parent, node, message, result)
        steps.arrive(begin + depth[node], node, message, result)
        steps.hold(begin + depth[node], node, ["all", beginning(result)])


def check_members(members: Sequence[int]) -> None:
    """Raise ``UsageError`` for a ring of so many members that its recording would fill the memory."""
    if len(members) > MOST_MEMBERS:
        raise UsageError(f"nodes must be at most {MOST_MEMBERS} with --explore, not {len(members)}")


def explore_ring(folder: Path, ring: GroupRing) -> list[Path]:
    """Write recording and page of the messages of a ring; return the files.

    Every member sends its own message in step 0, and on to the next member what comes, when it comes. A message is one
    word, the address of its origin.
    """
    members, count = ring.ring, len(ring.ring)
    steps = _Steps(ring.dim, ("member", "member", ["messages"]))
    place = {member: steps.message(member, [other for other in members if other != member], 0, 1) for member in members}
    came: dict[int, list[tuple[int, int]]] = {member: [] for member in members}
    for turn, origin in enumerate(members):
        step = 0
        for leap in range(count - 1):
            path = ring.paths[(turn + leap) % count]
            for node, to in pairwise(path):
                steps.cross(step, node, to, place[origin], [origin])
                step += 1
            steps.arrive(step, path[-1], place[origin], [origin])
            came[path[-1]].append((step, origin))
    for member, arrivals in came.items():
        got: list[int] = []
        for step, origin in sorted(arrivals):
            got = [*got, place[origin]]
            steps.hold(step, member, [got])
    title = f"nodes, {count} of them in a ring ({ring.order} order)"
    return steps.write(folder, "ring", title, ())
