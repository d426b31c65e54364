"""``cubecast simulate``: given messages through the RTL network, in lockstep with the golden network."""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from cubecast.cli import messages as multicast_messages
from cubecast.cli import packet_messages, packet_report
from cubecast.cli.messages import Event, Message
from cubecast.cli.text import address, listed, nested, print_text, table
from cubecast.cli.undelivered import undelivered
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.contract.message import Reason
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.options.arguments import Parser, addresses, examples, integer
from cubecast.options.configuration import add_config, config_of
from cubecast.options.usage import UsageError
from cubecast.tb.harness.lockstep import Mismatch, lockstep
from cubecast.tb.harness.simulators import SIMULATORS, SimulatorError, simulators
from cubecast.tb.multicast import playback
from cubecast.tb.packet import playback as packet_playback

__all__ = ["add", "answer", "run"]

EXAMPLES = """\
cubecast simulate --dim 3 --messages examples/mixed.json
cubecast simulate --dim 5 --max-dest 6 --messages examples/tree.json
cubecast simulate --dim 5 --max-dest 6 --messages examples/tree.json --fault 4 --json
cubecast simulate --dim 3 --messages examples/malformed.json --simulator icarus --waves waves.fst
cubecast simulate --dim 3 --router packet --messages examples/packets.json
cubecast simulate --dim 3 --router packet --link serial --routing fixed --rows 4 --messages examples/packets.json
"""

HELP = """\
messages file: a JSON list of objects
  "source"        node that sends the message
  "destinations"  list of nodes; or
  "broadcast"     true; or
  "raw"           all words of the message as they are, header included, well-formed or not
  "data"          payload words (default none; not with raw)
  "cycle"         earliest clock of its first word (default 0)
Messages of one source are sent one after the other, in the order of the file.
Among them there may be objects that change a node's fault vector while messages are under way:
  "cycle"         clock in which it is written
  "node"          whose vector
  "fault"         list of its faulty dimensions, from then on; [] repairs all of them
A link is cut, in both directions, as long as one of its ends has it in its vector.

with --router packet
  Words have --width bits. A list of destinations becomes unicasts. Messages longer than a packet are sent as several,
  and put together again at the receiver; the first data word of a message, which is its length, is not shown.
  "raw"           the words of one packet as they are injected: the destination, then data
  "slots"         with raw: dimensions of the buffer slots that take it (default: where a well-formed one would be)
  A message goes into the send queues of its node in its cycle or later, after those before it in the file.
  A link is cut at the end that has it in its vector.

exit status: 0; 1 if anything was not delivered, or the golden network disagrees; 2 bad usage"""

ROUTERS = ("multicast", "packet")
"""Kinds of routers."""

MOST_TREES = 4
"""Number of messages up to which their trees are printed."""


def add(commands: argparse._SubParsersAction[Parser]) -> None:
    """Add the command's parser."""
    parser = commands.add_parser(
        "simulate",
        help="send messages through the RTL network",
        description="Simulate the RTL network with given messages, all outputs compared with the golden network's.",
        epilog=f"{HELP}\n\n{examples(EXAMPLES)}",
    )
    parser.set_defaults(run=run, parser=parser)
    parser.add_argument("--router", choices=ROUTERS, default=ROUTERS[0], help="kind of router (default %(default)s)")
    parser.add_argument("--messages", type=Path, metavar="FILE", required=True, help="JSON file, see below")
    parser.add_argument("--fault", type=addresses, action="extend", metavar="NODE,..", default=[], help="faulty nodes")
    parser.add_argument("--simulator", choices=SIMULATORS, default=SIMULATORS[0], help="default %(default)s")
    parser.add_argument("--waves", type=Path, metavar="FILE.fst", help="write waves of every signal inside")
    parser.add_argument("--seed", type=integer, metavar="N", default=1, help="seed of all random choices (default 1)")
    parser.add_argument(
        "--stall",
        type=integer,
        metavar="PERCENT",
        default=0,
        help="clocks a receiver is not ready, 0 to 90 (default 0)",
    )
    parser.add_argument(
        "--max-cycles", type=integer, metavar="N", default=100_000, help="clocks to run at most (default %(default)s)"
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    add_config(parser)


def run(arguments: argparse.Namespace) -> int:
    """Simulate and print; return the exit status."""
    packet = arguments.router == "packet"
    config = config_of(arguments, packet=packet)
    faults = _checked(arguments, config)
    messages, events = (packet_messages if packet else multicast_messages).read(arguments.messages, config, faults)
    for entry in sorted((*messages, *events), key=lambda entry: entry.index):
        if entry.cycle >= arguments.max_cycles:
            allowed = f"an integer from 0 to {arguments.max_cycles - 1} (--max-cycles)"
            raise UsageError(f"messages[{entry.index}].cycle must be {allowed}, not {entry.cycle}")
    if arguments.simulator not in simulators():
        present = ", ".join(simulators()) or "none"
        raise UsageError(f"simulator must be one that is installed ({present}), not {arguments.simulator!r}")
    options = {
        "messages": [message.option() for message in messages],
        "faults": sorted(faults),
        "events": [{"cycle": e.cycle, "node": e.node, "vector": e.vector} for e in events],
        "stall": arguments.stall / 100,
        "most": arguments.max_cycles,
    }
    mismatch = ""
    try:
        seen = lockstep(
            packet_playback.BENCH if packet else playback.BENCH,
            config,
            simulator=arguments.simulator,
            clocks=arguments.max_cycles + 1000,
            seed=arguments.seed,
            options=options,
            waves=arguments.waves,
            timeout=max(600, arguments.max_cycles / 10),
        ).collected
    except Mismatch as error:
        mismatch, seen = str(error), error.collected
    except SimulatorError as error:
        print(f"cubecast simulate: {error}", file=sys.stderr)
        return 1
    found = (packet_report.answer if packet else answer)(config, messages, seen, faults, matched=not mismatch)
    inside = [] if seen is None else list((packet_report.inside if packet else _inside)(config, messages, seen))
    if arguments.json:
        print(json.dumps(found))
        for line in [*mismatch.splitlines(), *inside]:
            print(line, file=sys.stderr)
    else:
        remarks = [*inside, *mismatch.splitlines()]
        print_text(_report(config, messages, events, faults, found, seen, remarks, arguments))
    return 1 if mismatch or found["errors"] or inside else 0


def _checked(arguments: argparse.Namespace, config: Config | PacketConfig) -> frozenset[int]:
    """Return the faulty nodes; all options that are not the router's are in range."""
    for node in arguments.fault:
        if not 0 <= node < config.nodes:
            raise UsageError(f"fault must be an integer from 0 to {config.nodes - 1}, not {node}")
    if arguments.fault and not config.fault_tolerant:
        raise UsageError(f"fault must not be given with --fault-free, not {arguments.fault[0]}")
    if not 0 <= arguments.stall <= 90:
        raise UsageError(f"stall must be an integer from 0 to 90, not {arguments.stall}")
    if not 1 <= arguments.max_cycles <= 10**7:
        raise UsageError(f"max-cycles must be an integer from 1 to {10**7}, not {arguments.max_cycles}")
    if arguments.waves is not None and (not arguments.waves.parent.is_dir() or arguments.waves.is_dir()):
        raise UsageError(f"waves must be a file in an existing folder, not {str(arguments.waves)!r}")
    return frozenset(arguments.fault)


def answer(
    config: Config,
    messages: Sequence[Message],
    seen: dict[str, Any] | None,
    faults: frozenset[int] = frozenset(),
    *,
    matched: bool,
) -> dict[str, Any]:
    """Return the result of a run as plain values.

    Parameters
    ----------
    config : Config
        Parameters of the network.
    messages : sequence of Message
        The messages played.
    seen : dict or None
        What :class:`cubecast.tb.multicast.playback.Playback` recorded; None if nothing is known.
    faults : frozenset of int
        Nodes that are dead from the start: that a broadcast to all does not reach them is no error.
    matched : bool
        Whether all outputs were equal in every clock.
    """
    golden = "match" if matched else "mismatch"
    if seen is None:
        return {"cycles": 0, "golden": golden, "deliveries": [], "links": [], "errors": []}
    number = _numbers(messages)
    skipped = 2 if config.source_field else 1
    deliveries = [
        {
            "message": number[tuple(record["origin"])],
            "node": record["node"],
            "first_cycle": record["first_cycle"],
            "last_cycle": record["last_cycle"],
            "data": record["words"][skipped:],
            "error": record["error"],
        }
        for record in seen["deliveries"]
    ]
    registers = {int(register): values for register, values in seen["registers"].items()}
    links = [
        {
            "from": node,
            "to": node ^ 1 << j,
            "words": registers[0x40 + j][node],
            "messages": registers[0x30 + j][node],
            "waited": registers[0x50 + j][node],
        }
        for node in range(config.nodes)
        for j in range(config.dim)
    ]
    everyone = {message.index for message in messages if message.words[0] == config.broadcast_k}
    errors = _errors(seen, number, everyone, faults)
    if matched:
        errors += undelivered(messages, deliveries, errors)
    return {"cycles": seen["cycles"], "golden": golden, "deliveries": deliveries, "links": links, "errors": errors}


def _numbers(messages: Sequence[Message]) -> dict[Any, int]:
    """Return the index in the file of the n-th message of a source, as (source, n) to index."""
    number: dict[Any, int] = {}
    sent: dict[int, int] = defaultdict(int)
    for message in messages:
        number[message.source, sent[message.source]] = message.index
        sent[message.source] += 1
    return number


def _errors(
    seen: dict[str, Any], number: dict[Any, int], everyone: set[int], faults: frozenset[int]
) -> list[dict[str, Any]]:
    """Return the reports, those of one node on one message with one reason together.

    ``everyone``: the messages to all nodes, which may miss the dead ones.
    """
    found: dict[tuple[int, int, int], dict[str, Any]] = {}
    for report in seen["reports"]:
        node, reason, index = report["node"], report["reason"], number[tuple(report["origin"])]
        if reason == Reason.UNDELIVERABLE and index in everyone and report["destination"] in faults:
            continue
        entry = found.setdefault((node, reason, index), {"node": node, "reason": Reason(reason).name, "message": index})
        if reason in (Reason.UNDELIVERABLE, Reason.NO_LANE):
            entry.setdefault("destinations", []).append(report["destination"])
        elif reason == Reason.COPY_CUT:
            entry.setdefault("to", []).append(report["destination"])
    return list(found.values())


def _inside(config: Config, messages: Sequence[Message], seen: dict[str, Any]) -> Iterator[str]:
    """Yield a line for everything that had not left the network when the run ended."""
    number = _numbers(messages)
    for unit in seen["inside"]:
        yield f"still inside: message {number[tuple(unit['origin'])]} at {_place(config, unit)}"
    if seen["ring"]:
        first, *others = (_place(config, unit) for unit in seen["ring"])
        yield f"deadlock: {first}"
        yield from (f"  waits for {place}" for place in (*others, first))
    for source in range(config.nodes):
        count = sum(message.source == source for message in messages) - seen["injected"][source]
        if count:
            yield f"not injected: {count} of the messages of node {source}"


def _place(config: Config, unit: dict[str, int]) -> str:
    """Return where a message handling unit is."""
    port = "the injection port" if unit["port"] == config.local else f"channel {unit['port']}, lane {unit['lane']}"
    return f"node {unit['node']}, {port}"


def _report(
    config: Config | PacketConfig,
    messages: Sequence[Any],
    events: Sequence[Event],
    faults: frozenset[int],
    found: dict[str, Any],
    seen: dict[str, Any] | None,
    remarks: Sequence[str],
    arguments: argparse.Namespace,
) -> Iterator[str]:
    """Yield the lines of the report."""
    packet = isinstance(config, PacketConfig)
    kind = f"packet routers, {config.routing}, {config.link} links" if packet else f"routers, {config.policy}"
    yield f"{config.dim}-cube of RTL {kind}, {arguments.simulator}, seed {arguments.seed}"
    if faults:
        yield f"faulty nodes  {listed(sorted(faults))}"
    for event in sorted(events, key=lambda event: event.cycle):
        dimensions = [j for j in range(config.dim) if event.vector >> j & 1]
        yield f"clock {event.cycle}: node {event.node} has " + (
            f"faulty dimensions {listed(dimensions)}" if dimensions else "no faulty dimensions"
        )
    yield ""
    if seen is not None and len(messages) <= MOST_TREES:
        for number, message in enumerate(messages):
            if packet:
                yield from packet_report.tree(config, number, message, found, seen)
            else:
                yield from _tree(config, message, found, seen, _numbers(messages))
            yield ""
    head = ("message", "node", "first clock", "last clock", "data words", "cut off")
    yield from table(
        head,
        [
            (d["message"], d["node"], d["first_cycle"], d["last_cycle"], len(d["data"]), "yes" if d["error"] else "no")
            for d in found["deliveries"]
        ],
    )
    yield ""
    used = [link for link in found["links"] if link["words"]]
    words, waited = (sum(link[name] for link in found["links"]) for name in ("words", "waited"))
    yield f"links: {len(used)} of {len(found['links'])} used, {words} words, {waited} clocks waited"
    for error in found["errors"]:
        to = "".join(f", {key} {listed(error[key])}" for key in ("destinations", "to") if key in error)
        yield f"error: message {error['message']}, {error['reason']} at node {error['node']}{to}"
    yield from remarks
    yield f"clocks: {found['cycles']}"
    yield f"golden: {found['golden']}"


def _tree(
    config: Config, message: Message, found: dict[str, Any], seen: dict[str, Any], number: dict[Any, int]
) -> Iterator[str]:
    """Yield the way that a message took, with the clock in which its first word crossed each link."""
    index = message.index
    delivered = {delivery["node"] for delivery in found["deliveries"] if delivery["message"] == index}
    # A node may get two copies, one after the other, when a link fails: what it sends belongs to the one it got last.
    arrival = {message.source: 0}
    below: dict[int, list[tuple[str, int]]] = defaultdict(list)

    def name(node: int) -> str:
        """Return a node's address, with a mark if the message is delivered there."""
        return f"{node} {node:0{config.dim}b}{' *' if node in delivered else ''}"

    for place, crossing in enumerate(seen["crossings"], start=1):
        if number[tuple(crossing["origin"])] == index:
            start, to = crossing["from"], crossing["to"]
            label = f"{(start ^ to).bit_length() - 1}→ {name(to)}  clock {crossing['cycle']}"
            below[arrival[start]].append((label, place))
            arrival[to] = place
    if message.raw:
        kind = "raw"
    elif message.words[0] == config.broadcast_k:
        kind = "to all"
    else:
        kind = f"to {listed(message.words[1 : 1 + message.words[0]])}"
    yield f"message {index} from {address(message.source, config.dim)}, {kind}"
    yield name(message.source)
    yield from nested(below[0], lambda place: below[place])
