"""Figures: what the records of a run say - throughput, latency, fairness, use of links, and that all came once."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np

from cubecast.golden.common.algorithms.load import Traffic
from cubecast.golden.common.algorithms.load_packets import Packets
from cubecast.golden.common.contract.load import Kind, LoadShape
from cubecast.systems.load import STEP, Loads, Window
from cubecast.tb.campaigns.curves.records import Joining, What

__all__ = ["figures", "reduced"]

Array = np.ndarray[Any, np.dtype[Any]]

BATCHES = 10
"""Batches of messages of which a confidence interval is made."""

STUDENT = 2.262
"""Quantile 0.975 of Student's distribution with one degree of freedom less."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Messages:
    """Messages, of one source after the other, an item of the arrays for each.

    Parameters
    ----------
    arrived, begun, ended : array of int
        Cycles in which a message arrives, in which its first word is taken, and in which the last of its words is taken
        by the last of its destinations; -1 if that is not known.
    unicast : array of bool
        It is for one node, as a unicast.
    due : array of int
        Words that it makes the network deliver; -1 if not all of its packets were sent.
    missed : array of int
        Nodes that it is for and that no packet goes to, since faults are on the way.
    empty : array of bool
        No packet of it goes anywhere.
    """

    arrived: Array
    begun: Array
    ended: Array
    unicast: Array
    due: Array
    missed: Array
    empty: Array


def figures(loads: Loads, config: Any, traffic: Traffic, window: Window, records: Array, limit: int) -> dict[str, Any]:
    """Return the figures of a point; words are per node and cycle, latencies in cycles.

    Parameters
    ----------
    loads : Loads
        The system's load network.
    config : configuration
        Its parameters.
    traffic : Traffic
        What was sent.
    window : Window
        When what counts.
    records : array
        What happened.
    limit : int
        Cycle in which the run was given up, if it came to that.
    """
    kinds, nodes = records["what"] >> 16, config.nodes
    by_kind = {what: records[kinds == what] for what in What}
    heads = _by_node(by_kind[What.HEAD])
    source = (heads["what"] & 0x3FF).astype(np.int64)
    shape = loads.shape(config)
    sent = loads.model.packets(config, traffic, source, heads["value"], _blocks(shape, heads, by_kind[What.BLOCK]))
    starts = np.searchsorted(source, np.arange(nodes + 1))
    arrived = _by_node(by_kind[What.ARRIVED])
    first = np.searchsorted(arrived["what"] & 0x3FF, np.arange(nodes))
    # Message of each packet, as an index of `arrived`.
    ends = np.cumsum(sent.closes)
    before = np.concatenate([[0], ends])
    message = before[:-1] - before[starts[source]] + first[source]
    came = by_kind[What.CAME]
    value = came["value"].astype(np.int64)
    there, packet = (came["what"] & 0x3FF).astype(np.int64), _packets(shape, heads, starts, sent, came)
    known = packet >= 0
    whole = known & (value >> 40 == 0)
    whole[known] &= sent.words[packet[known]] == value[known] >> 32 & 0xFF
    drained = bool(records["cycle"].max(initial=0) < limit)
    once = bool(whole.all()) and sent.sound and not len(by_kind[What.REPORT])
    once = once and (not drained or len(came) == len(sent.owner))
    due = (sent.words + sent.extra) * np.bincount(sent.owner, minlength=len(source))
    messages = _messages(arrived, heads, sent, message, due, packet[known], came["cycle"][known].astype(np.int64) - 1)
    warmup, steady = _warmup(window, messages)
    span = (warmup, warmup + window.cycles)
    inside = (messages.arrived >= span[0]) & (messages.arrived < span[1])
    sendable = inside & ~messages.empty
    taken = (heads["cycle"] >= span[0]) & (heads["cycle"] < span[1])
    in_span = (came["cycle"] > span[0]) & (came["cycle"] <= span[1])
    area = nodes * window.cycles
    mean_due = float(messages.due[messages.due >= 0].mean()) if (messages.due >= 0).any() else 0.0
    generated = np.where(messages.due >= 0, messages.due, mean_due)[inside].sum()
    words = _counted(by_kind[What.WORDS], span, nodes)
    mine = (words & 0xFFFFFFFF)[np.bincount(arrived["what"] & 0x3FF, minlength=nodes) > 0] / window.cycles
    links = _counted(by_kind[What.LINK], span, nodes * config.dim) / window.cycles
    return {
        "offered": _rounded(generated / area),
        "accepted": _rounded(due[taken].sum() / area),
        "delivered": _rounded((words >> 32).sum() / area),
        "flits": {
            "accepted": _rounded(sent.into[taken].sum() / area),
            "delivered": _rounded(sent.out[packet[known & in_span]].sum() / area),
        },
        "messages": int(inside.sum()),
        "unreachable": int(messages.missed[inside].sum()),
        "latency": _latencies(messages, sendable),
        "steady": steady,
        "warmup": warmup,
        "worst_node": _rounded(mine.min(initial=math.inf)) if len(mine) else 0.0,
        "mean_node": _rounded(mine.mean()) if len(mine) else 0.0,
        "best_node": _rounded(mine.max()) if len(mine) else 0.0,
        "link_use": {"mean": _rounded(links.mean()), "max": _rounded(links.max())},
        "exactly_once": once,
        "in_order": _in_order(loads.model.in_order(config, traffic), there[known], packet[known], source, message),
        "drained": drained,
    }


def reduced(joining: Joining, records: Array, warmup: int, window: Window) -> dict[str, Any]:
    """Return the figures of all-reduces that begin in the window, from there to the last word at the last node.

    Parameters
    ----------
    joining : Joining
        The all-reduces.
    records : array
        What happened.
    warmup : int
        Cycle in which the window begins.
    window : Window
        How long it is.

    Returns
    -------
    dict
        ``words`` of each, ``operations`` in the window, ``cycles`` with ``mean``, ``min`` and ``max`` (None without an
        operation), ``right``: all of the run have come to all nodes, with the words that they must have.
    """
    over = records[records["what"] >> 16 == What.JOINED]
    number = (over["value"] & 0xFFFFFFFF).astype(np.int64)
    bad, members = over["value"] >> np.uint64(32), len(joining.tree.members)
    began = np.array([joining.given.begin(each) for each in range(joining.count)], dtype=np.int64)
    ended = np.zeros(joining.count, dtype=np.int64)
    np.maximum.at(ended, number, over["cycle"])
    whole = np.bincount(number, minlength=joining.count) == members
    inside = whole & (began >= warmup) & (began < warmup + window.cycles)
    took = (ended - began + 1)[inside]
    cycles = {"mean": _rounded(took.mean(), 2), "min": int(took.min()), "max": int(took.max())} if len(took) else None
    right = bool(whole.all() and not bad.any())
    return {"words": joining.given.words, "operations": len(took), "cycles": cycles, "right": right}


def _blocks(shape: LoadShape, heads: Array, blocks: Array) -> Array:
    """Return the bits of the blocks of packets by packet and place; 0 where a packet is for no list."""
    found = np.zeros((len(heads), -(-shape.block // 64)), dtype=np.uint64)
    listed = np.flatnonzero(heads["value"] >> np.uint64(20) & np.uint64(3) == Kind.LIST)
    by_node = _by_node(blocks)
    found[listed] = by_node["value"].reshape(-1, found.shape[1])
    return found


def _packets(shape: LoadShape, heads: Array, starts: Array, sent: Packets, came: Array) -> Array:
    """Return which packet each one is that has come, as an index of ``heads``; -1 if none is left that it can be.

    A word has the lowest bits of its packet's number among those of the source. Of packets of a source to a node with
    the same ones, which are far from each other, the first that comes is the first that was sent.
    """
    bits, nodes = shape.number_bits, shape.nodes
    mask = (1 << bits) - 1
    source = (heads["what"] & 0x3FF).astype(np.int64)
    number = (np.arange(len(heads)) - starts[source]) & mask
    asked = (source << bits | number)[sent.owner] * nodes + sent.destination
    value = came["value"].astype(np.int64)
    got = ((value & 0x3FF) << bits | value >> 10 & mask) * nodes + (came["what"] & 0x3FF)
    sending, coming = np.lexsort((sent.owner, asked)), np.argsort(got, kind="stable")
    asked, got = asked[sending], got[coming]
    place = np.searchsorted(asked, got) + np.arange(len(got)) - np.searchsorted(got, got)
    fits = place < len(asked)
    fits[fits] = asked[place[fits]] == got[fits]
    found = np.full(len(came), -1)
    found[coming[fits]] = sent.owner[sending[place[fits]]]
    early = (found >= 0) & (heads["cycle"][found] >= came["cycle"]) if len(heads) else found >= 0
    found[early] = -1
    return found


def _by_node(records: Array) -> Array:
    """Return records in the order of nodes, those of a node in the order of time."""
    return records[np.argsort(records["what"] & 0x3FF, kind="stable")]


def _messages(
    arrived: Array, heads: Array, sent: Any, message: Array, due: Array, packet: Array, cycle: Array
) -> Messages:
    """Return the messages; ``packet`` and ``cycle`` are of the deliveries."""
    count = len(arrived)
    begun, ended, left = np.full(count, -1), np.full(count, -1), np.zeros(count, dtype=np.int64)
    # In reverse, so that the first packet's is what stays.
    begun[message[::-1]] = heads["cycle"][::-1]
    closed = np.zeros(count, dtype=bool)
    closed[message[sent.closes]] = True
    np.add.at(left, message[sent.owner], 1)
    np.subtract.at(left, message[packet], 1)
    np.maximum.at(ended, message[packet], cycle)
    ended[~closed | (left != 0)] = -1
    words, unicast = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=bool)
    np.add.at(words, message, due)
    unicast[message] = sent.unicast
    missed = np.zeros(count, dtype=np.int64)
    np.add.at(missed, message, sent.asked)
    np.subtract.at(missed, message[sent.owner], sent.begins[sent.owner])
    empty = closed & (words == 0)
    words[~closed] = -1
    missed[~closed] = 0
    times = arrived["cycle"].astype(np.int64)
    return Messages(arrived=times, begun=begun, ended=ended, unicast=unicast, due=words, missed=missed, empty=empty)


def _warmup(window: Window, messages: Messages) -> tuple[int, bool]:
    """Return where the window begins, and whether the mean latency is steady from there on.

    That is MSER (White, 1997): of all beginnings the one after which the squared standard error of the mean latency, by
    batches of :data:`STEP` cycles, is least. It is not steady if no beginning before the last possible one is as good,
    nor if there are too few batches to compare two beginnings.
    """
    there = messages.ended >= 0
    batch = messages.arrived[there] // STEP
    count = (window.warmup + window.cycles) // STEP
    counts = np.bincount(batch, minlength=count)[:count]
    sums = np.bincount(batch, weights=(messages.ended - messages.arrived)[there], minlength=count)[:count]
    means = sums[counts > 0] / counts[counts > 0]
    numbers = np.flatnonzero(counts)
    most = window.warmup // STEP if window.found else count // 2
    errors = [
        (means[numbers >= begin].var() / (numbers >= begin).sum(), begin)
        for begin in range(most + 1)
        if (numbers >= begin).sum() > 1
    ]
    begin = min(errors)[1] if errors else most
    known = there | messages.empty
    steady = len(errors) > 1 and begin < most and bool(known[messages.arrived < count * STEP].all())
    return (begin * STEP if window.found else window.warmup), steady


def _latencies(messages: Messages, inside: Array) -> dict[str, Any]:
    """Return the latencies of the messages that arrived in the window: of all, of unicasts, and of the others."""
    kinds = {"unicast": messages.unicast, "multicast": ~messages.unicast}
    return _latency(messages, inside) | {name: _latency(messages, inside & which) for name, which in kinds.items()}


def _latency(messages: Messages, inside: Array) -> dict[str, Any]:
    """Return the latencies of some messages."""
    chosen = inside & (messages.ended >= 0)
    times = (messages.ended - messages.arrived)[chosen]
    parts = {"queue": (messages.begun - messages.arrived)[chosen], "network": (messages.ended - messages.begun)[chosen]}
    batches = np.array_split(times[np.argsort(messages.arrived[chosen], kind="stable")], BATCHES)
    interval = None
    if all(len(batch) for batch in batches):
        interval = _rounded(STUDENT * np.std([batch.mean() for batch in batches], ddof=1) / math.sqrt(BATCHES), 2)
    found = {name: _spread(cycles) for name, cycles in parts.items()}
    return {"mean": None, "interval": interval, **_spread(times), **found}


def _spread(cycles: Array) -> dict[str, Any]:
    """Return mean, percentiles and maximum of some latencies; None if there are none."""
    if not len(cycles):
        return dict.fromkeys(("mean", "p50", "p95", "p99", "max"))
    # Nearest rank, so that all of them are cycles.
    p50, p95, p99 = map(int, np.percentile(cycles, (50, 95, 99), method="inverted_cdf"))
    return {"mean": _rounded(cycles.mean(), 2), "p50": p50, "p95": p95, "p99": p99, "max": int(cycles.max())}


def _counted(records: Array, span: tuple[int, int], count: int) -> Array:
    """Return by how much counters rise from the beginning of the window to its end."""
    begin, end = (
        records["value"][records["cycle"] // STEP == cycle // STEP][:count].astype(np.int64) for cycle in span
    )
    rise: Array = end - begin
    return rise


def _in_order(always: bool | None, there: Array, packet: Array, source: Array, message: Array) -> bool | None:
    """Return whether packets come in the order in which their source has sent them.

    Parameters
    ----------
    always : bool or None
        All of them, or only those of one message; None: the router keeps no order among packets.
    there, packet : array of int
        Node and packet of each delivery, in the order of time.
    source, message : array of int
        Those of the packets.
    """
    if always is None:
        return None
    group = source[packet] if always else message[packet]
    order = np.lexsort((np.arange(len(packet)), group, there))
    same = (np.diff(there[order]) == 0) & (np.diff(group[order]) == 0)
    return bool((np.diff(packet[order])[same] > 0).all())


def _rounded(value: float, digits: int = 5) -> float:
    """Return a figure with so many digits after the point."""
    return round(float(value), digits)
