"""``cubecast route --router crosspoint``: the packets of one message, as text or JSON."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cubecast.cli.explore import where
from cubecast.cli.explore_steps import explore_packets
from cubecast.cli.saved import with_run
from cubecast.golden.crosspoint.algorithms.packets import Header, Hop, members, tree
from cubecast.golden.crosspoint.algorithms.routes import Leg, faults_of
from cubecast.golden.crosspoint.algorithms.splitting import Packet, Plan, plan
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.word import Kind
from cubecast.options.text import address, listed, nested, print_text
from cubecast.options.usage import UsageError, check_seed, checked

__all__ = ["run_crosspoint"]


def run_crosspoint(arguments: argparse.Namespace) -> int:
    """Route and print; return the exit status."""
    given = {name: getattr(arguments, name) for name in ("runs", "width") if getattr(arguments, name) is not None}
    config = checked(CrosspointConfig, dim=arguments.dim, multicast=not arguments.no_multicast, **given)
    faults = checked(faults_of, config.dim, arguments.fault, arguments.faulty_links)
    if arguments.dest and arguments.broadcast:
        raise UsageError("one of --dest and --broadcast must be given with the crosspoint router, not both")
    wanted = arguments.dest
    if arguments.broadcast:
        wanted = [node for node in range(config.nodes) if node not in faults.nodes]
    elif {*wanted} == {arguments.source}:
        raise UsageError(f"dest must be another node than the source, not {arguments.source} alone")
    policy, seed = arguments.policy or "e-cube", arguments.seed or 0
    check_seed(seed)
    found = checked(plan, config, arguments.source, wanted, faults, policy=policy, seed=seed)
    about = {
        "router": "crosspoint",
        "dim": config.dim,
        "runs": config.runs,
        "multicast": config.multicast,
        "width": config.width,
        "source": arguments.source,
        "destinations": sorted({*wanted} - {arguments.source}),
        "policy": policy,
        "faults": sorted(faults.nodes),
        "faulty_links": sorted([node, node | 1 << dimension] for node, dimension in faults.links),
    }
    described = [_described(config, packet) for packet in found.packets]
    hops = [hop for packet in described for leg in packet["legs"] for hop in leg["hops"]]
    steps = [sum(max(hop["step"] for hop in leg["hops"]) for leg in packet["legs"]) for packet in described]
    about |= {"links": len(hops), "steps": max(steps, default=0)}
    pages = list[Path]()
    if arguments.explore is not None:
        pages = explore_packets(arguments.explore, config, found, policy, about["faults"], about["faulty_links"])
    if arguments.json:
        unreachable = [{"node": node, "reason": reason.value} for node, reason in found.unreachable]
        print(json.dumps(with_run(arguments, about | {"packets": described, "unreachable": unreachable})))
    else:
        print_text([*_summary(config, about), *_lines(config, found), "", *_closing(found), *where(pages)])
    return 1 if found.unreachable else 0


def _described(config: CrosspointConfig, packet: Packet) -> dict[str, Any]:
    """Return a packet as plain values."""
    legs = [
        {
            "source": leg.source,
            "kind": Kind(leg.header.kind).name.lower(),
            "r1": list(reversed(members(leg.header.r1))),
            "r2": list(members(leg.header.r2)),
            "bitmap": leg.header.bitmap,
            "hops": [
                {"from": hop.node, "to": hop.node ^ 1 << hop.dimension, "dimension": hop.dimension, "step": hop.step}
                for hop in tree(config, leg.source, leg.header).hops
            ],
        }
        for leg in packet.legs
    ]
    return {"destinations": list(packet.destinations), "legs": legs}


def _summary(config: CrosspointConfig, about: dict[str, Any]) -> Iterator[str]:
    """Yield the lines above the packets."""
    runs = "one run" if config.runs == 1 else "two runs"
    yield f"crosspoint router in a {config.dim}-cube, {runs}, {about['policy']}"
    yield f"source        {address(about['source'], config.dim)}"
    yield f"destinations  {listed(about['destinations'])}"
    if about["faults"]:
        yield f"faulty nodes  {listed(about['faults'])}"
    if about["faulty_links"]:
        yield f"faulty links  {', '.join(f'{a}-{b}' for a, b in about['faulty_links'])}"
    yield f"links         {about['links']}"
    yield f"steps         {about['steps']}"


def _lines(config: CrosspointConfig, found: Plan) -> Iterator[str]:
    """Yield the packets, each with the links that it crosses."""
    for number, packet in enumerate(found.packets, 1):
        for leg in packet.legs:
            relayed = ", sent on by the relay" if leg is not packet.legs[0] else ""
            yield ""
            yield f"packet {number}: {_header(leg.header)}{relayed}"
            yield from _tree(config, leg)


def _header(header: Header) -> str:
    """Return a header in words."""
    text = f"{Kind(header.kind).name.lower()}, r1 {{{' '.join(map(str, reversed(members(header.r1))))}}}"
    if header.kind == Kind.BITMAP:
        return f"{text}, bitmap {header.bitmap:#x}"
    return f"{text}, r2 {{{' '.join(map(str, members(header.r2)))}}}"


def _tree(config: CrosspointConfig, leg: Leg) -> Iterator[str]:
    """Yield the way of a packet as indented text: dimension, node, and a ``*`` where it is delivered."""
    way = tree(config, leg.source, leg.header)

    def below(node: int) -> list[tuple[str, int]]:
        """Return the links out of a node; a packet comes to no node twice."""
        hops: list[Hop] = [hop for hop in way.hops if hop.node == node]
        return [(f"{hop.dimension}→ {name(node ^ 1 << hop.dimension)}", node ^ 1 << hop.dimension) for hop in hops]

    def name(node: int) -> str:
        """Return a node's address, with a mark if the packet is delivered there."""
        return f"{node} {node:0{config.dim}b}{' *' if node in way.delivered else ''}"

    yield name(leg.source)
    yield from nested(below(leg.source), below)


def _closing(found: Plan) -> Iterator[str]:
    """Yield the lines below the packets."""
    yield "(number: dimension of the link; *: delivered here; braces: dimensions, in the order crossed)"
    for node, reason in found.unreachable:
        yield f"unreachable: {node}: {reason.value}"
    if not found.unreachable:
        yield "all destinations reached"
