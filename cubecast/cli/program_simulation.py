"""``cubecast simulate --programs``: programs of nodes on the RTL network of nodes, in lockstep with the golden one."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cubecast.cli.explore import where
from cubecast.cli.explore_programs import explore_programs
from cubecast.cli.saved import with_run
from cubecast.golden.node.algorithms.programs import read_programs
from cubecast.options.arguments import Parser, integer
from cubecast.options.text import print_text, table
from cubecast.options.usage import UsageError, checked
from cubecast.systems import SYSTEMS
from cubecast.systems.messages import load
from cubecast.systems.parameters import add_parameters, config_of, faulty_nodes
from cubecast.tb.harness.bench import Bench
from cubecast.tb.harness.lockstep import Mismatch, lockstep

__all__ = ["EXAMPLES", "HELP", "add_options", "refuse_options", "simulate_programs"]

PROGRAMMED = {system.router.name: system for system in SYSTEMS.values() if system.programs}
"""Systems whose network runs programs, by the name of their router."""

OWN = {"memory_latency": (1, 1000), "timeout": (0, (1 << 32) - 1)}
"""Options that programs have and messages have not, with their least and their greatest value."""

EXAMPLES = """\
cubecast simulate --dim 3 --router packet --programs examples/programs.json
cubecast simulate --dim 3 --router packet --programs examples/programs.json --buffers 0 --eager 1 --stall 30 --json
cubecast simulate --dim 3 --router packet --programs examples/programs.json --explore build/programs
"""

HELP = """\
with --router packet --programs FILE (docs/node.md has a page of it)
  Every node is a processor, its memory, a node interface and a packet router. The file is an object
    {"nodes": {"0": [STEP, ..], "5": [STEP, ..]}}
  of programs; the steps of a node are done in order, a doorbell takes one cycle. A STEP has "do" and
    send        "name", "to" (node), "type", "bytes" and "fill", or "data" (hex)
    broadcast   the same without "to": to all other nodes
    neighbours  the same, "to" a list of neighbours
    receive     "name", "from" (node or "any"), "type" (number, "any" or "any system"),
                "room" (bytes, or "system": a system buffer)
    release     "name", "of" a receive with "room": "system" that was waited for
    wait        "for" a list of names, "until" "done" (default) or "started"
    compute     "clocks": cycles in which nothing is done
    read        "of" a receive that was waited for, "offset", "bytes" (1, 2 or 4): a read that is watched
    fault       "dimensions", a list: from then on the links of the node in these dimensions are cut, no others
  Byte k of "bytes" with "fill" is fill + 31 k + 17 floor(k / 256), modulo 256. "misplaced": true adds 2 to the address
  of a buffer. Names are unique in their node. Types from 32768 to 65535 are the system's. Values that the hardware
  refuses are allowed: they come back as statuses and interrupts.

  with --json
    "config"        parameters
    "golden"        "match" or "mismatch"
    "quiet"         nothing moves any more, and every program has ended or stands at a wait
    "clocks"        cycles until then
    "guards"        "intact", or where bytes have changed that nobody may touch
    "links"         as with messages
    "errors"        reports of routers: "node", "reason", "destination", "port", "lane"
    "nodes"         every node: "at" (steps complete), "buffers", "counters", "blocks" (one for each name), "unclaimed"
                    messages, "reads" and "interrupts"
  exit status: 0; 1 if the golden network disagrees, a program has not ended, or a guarded byte has changed
"""


def add_options(parser: Parser) -> None:
    """Add the options of programs."""
    system = next(iter(PROGRAMMED.values()))
    group = add_parameters(parser, system)
    group.add_argument(
        "--memory-latency", type=integer, metavar="L", help="cycles of a node's memory, 1 to 1000 (default 1)"
    )
    group.add_argument("--timeout", type=integer, metavar="T", help="of an offer, in 1024 cycles; 0: never (default 0)")


def refuse_options(arguments: argparse.Namespace) -> None:
    """Raise :class:`UsageError` if an option of programs is given with messages."""
    for name in OWN:
        if getattr(arguments, name) is not None:
            raise UsageError(f"{name.replace('_', '-')} must be given with --programs, not with --messages")


def simulate_programs(arguments: argparse.Namespace) -> int:
    """Simulate and print; return the exit status."""
    if arguments.router not in PROGRAMMED:
        raise UsageError(f"programs must be given with --router {' or '.join(PROGRAMMED)}, not {arguments.router!r}")
    system = PROGRAMMED[arguments.router]
    config = config_of(arguments, system, "--programs", played=True)
    settings = _settings(arguments) | {"faults": sorted(faulty_nodes(arguments, config.router))}
    values = load(arguments.programs, "programs")
    programs = checked(read_programs, values, config)
    module, _, name = system.programs.partition(":")
    bench: Bench = getattr(importlib.import_module(module), name)
    exploring = {} if arguments.explore is None else {"explore": True}
    mismatch = ""
    try:
        told = lockstep(
            bench,
            config,
            simulator=arguments.simulator,
            cycles=arguments.max_cycles + 1000,
            seed=arguments.seed,
            options={"programs": values, "most": arguments.max_cycles, **settings, **exploring},
            waves=arguments.waves,
            netlist=arguments.netlist,
            start=arguments.start,
            timeout=max(600, arguments.max_cycles / 10),
        ).collected
    except Mismatch as error:
        mismatch, told = str(error), error.collected
    golden = "mismatch" if mismatch else "match"
    recording = told.pop("recording", None) if told else None
    found = {"config": told["config"], "golden": golden, **told} if told else {"golden": golden, "nodes": []}
    pages = list[Path]()
    if recording is not None:
        more = {"simulator": arguments.simulator, "seed": arguments.seed, "stall": arguments.stall}
        pages = explore_programs(arguments.explore, config, _title(config), found, recording, more)
    waiting = list(_waiting(programs, found))
    if arguments.json:
        print(json.dumps(with_run(arguments, found, programs=values)))
        for line in [*mismatch.splitlines(), *waiting]:
            print(line, file=sys.stderr)
    else:
        lines = [*_report(config, found, arguments), *waiting, *mismatch.splitlines(), f"golden: {golden}"]
        print_text([*lines, *where(pages)])
    return 1 if mismatch or waiting or found.get("guards") != "intact" else 0


def _settings(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return what the run takes besides programs; all options are in range."""
    for name, (least, most) in OWN.items():
        value = getattr(arguments, name)
        if value is not None and not least <= value <= most:
            raise UsageError(f"{name.replace('_', '-')} must be an integer from {least} to {most}, not {value}")
    latency, timeout = arguments.memory_latency or 1, arguments.timeout or 0
    return {"latency": latency, "timeout": timeout, "stall": arguments.stall / 100}


def _title(config: Any) -> str:
    """Return what is simulated."""
    return f"RTL nodes, {config.router.routing}, {config.router.link} links"


def _waiting(programs: Any, found: dict[str, Any]) -> Iterator[str]:
    """Yield a line for each program that has not ended."""
    for entry in found["nodes"]:
        node, at = entry["node"], entry["at"]
        if at < len(programs[node]):
            step = programs[node][at]
            names = ", ".join(programs[node][index].name for index in step.steps)
            what = f"waits for {names} until {'started' if step.started else 'done'}" if step.do == "wait" else step.do
            yield f"not ended: node {node} stands at step {at} of {len(programs[node])}: {what}"


def _report(config: Any, found: dict[str, Any], arguments: argparse.Namespace) -> Iterator[str]:
    """Yield the lines of the report."""
    yield f"{config.dim}-cube of {_title(config)}, {arguments.simulator}"
    if "clocks" not in found:
        return
    yield ""
    head = ("node", "name", "flag", "status", "posted", "started", "done", "message", "bytes")
    yield from table(head, [_row(node["node"], block) for node in found["nodes"] for block in node["blocks"]])
    yield ""
    for entry in found["nodes"]:
        node = entry["node"]
        for told in entry["unclaimed"]:
            source, name = told["message"]
            yield f"node {node}: unclaimed {name} of node {source}, type {told['type']}, {told['length']} bytes"
        for read in entry["reads"]:
            early = "early" if read["early"] else read["data"]
            yield f"node {node}: read of step {read['index']} in cycle {read['clock']}: {early}"
        for told in entry["interrupts"]:
            rest = ", ".join(f"{key} {told[key]}" for key in told if key not in ("clock", "reason"))
            yield f"node {node}: {told['reason']} in cycle {told['clock']}, {rest}"
    used = [link for link in found["links"] if link["words"]]
    words, waited = (sum(link[name] for link in found["links"]) for name in ("words", "waited"))
    yield f"links: {len(used)} of {len(found['links'])} used, {words} words, {waited} cycles waited"
    for error in found["errors"]:
        yield f"error: {error['reason']} at node {error['node']}, destination {error['destination']}"
    if found["guards"] != "intact":
        yield f"guards: {found['guards']}"
    yield f"cycles: {found['clocks']}{'' if found['quiet'] else ', and something moves still'}"


def _row(node: int, block: dict[str, Any]) -> tuple[Any, ...]:
    """Return the row of a block in the table; ``-`` where there is nothing."""
    times = [str("-" if block[key] is None else block[key]) for key in ("posted", "started", "done")]
    source, name = block.get("message", ("", "-"))
    return (
        node,
        block["name"],
        block["flag"],
        block["status"],
        *times,
        f"{source} {name}".strip(),
        str(block.get("length", "-")),
    )
