"""A unit with SystemVerilog interfaces in place of bundles of ports: links, streams, AXI4-Stream, AXI4-Lite."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping

__all__ = ["wrapper"]

BUNDLE = re.compile(r"(?P<bundle>\w+?)__(?:(?P<place>\d+)__)?(?P<field>\w+)|(?P<axi>[sm]_axis?(?:_\w+)?)_(?P<wire>\w+)")
"""A port of a bundle: ``inject__valid``, ``link_in__0__valid``, ``s_axis_tvalid``, ``s_axi_collective_awaddr``."""

KINDS = (("link_", "link"), ("s_axis", "axis"), ("m_axis", "axis"), ("s_axi", "axi_lite"), ("m_axi", "axi"))
"""What the names of bundles begin with that have one interface in common, and its name."""

SENDER, RECEIVER = "sender", "receiver"
"""Modports: of who drives most fields of a bundle, and of the other end."""


@dataclasses.dataclass(frozen=True)
class _Bundle:
    """A bundle of ports.

    Parameters
    ----------
    name : str
        What it is called.
    place : str
        Its place among several of that name, such as the dimension of a link; else empty.
    ports : mapping
        Name of the port, its width, and whether it is an output, by field.
    """

    name: str
    place: str
    ports: Mapping[str, tuple[str, int, bool]]

    @property
    def port(self) -> str:
        """Its port of the wrapper."""
        return f"{self.name}_{self.place}" if self.place else self.name

    @property
    def kind(self) -> str:
        """Name of its interface behind that of the unit."""
        return next((kind for start, kind in KINDS if self.name.startswith(start)), self.name)

    @property
    def end(self) -> str:
        """Modport of the unit; of as many fields each way, the last one of the alphabet decides."""
        drives = sum(1 if out else -1 for _, _, out in self.ports.values()) or (
            1 if self.ports[max(self.ports)][2] else -1
        )
        return SENDER if drives > 0 else RECEIVER

    def fields(self) -> dict[str, tuple[int, bool]]:
        """Return width of each field, and whether the sender drives it."""
        return {field: (width, out == (self.end == SENDER)) for field, (_, width, out) in self.ports.items()}


def wrapper(name: str, inputs: Mapping[str, int], outputs: Mapping[str, int]) -> str:
    """Return the interfaces of a unit, and a module ``<name>_wrapper`` that has them as ports and the unit inside.

    Each link is a port of its own, ``link_in_<j>`` and ``link_out_<j>``: the links of a node lead to different nodes,
    and an array of interfaces can be given to a port as a whole or a slice alone, not put together. An interface has
    the width of each field that is not the same in all places as a parameter; beside each port stands in a comment
    which it needs, and the wrapper has an ``$error`` where it is given others. A unit without bundles, such as a
    network, has its ports as they are.

    Parameters
    ----------
    name : str
        Name of the Verilog module.
    inputs, outputs : dict
        Port name to width in bits, the clock included.
    """
    bundles, plain = _sorted({**{port: (width, False) for port, width in inputs.items()}, **_outs(outputs)})
    kinds = dict.fromkeys(bundle.kind for bundle in bundles)
    alike = {kind: [bundle for bundle in bundles if bundle.kind == kind] for kind in kinds}
    lines = [line for kind, members in alike.items() for line in _interface(f"{name}_{kind}", members)]
    declared = [f"{'output' if out else 'input '} logic {_range(width)}{port}" for port, (width, out) in plain.items()]
    notes, checks = [""] * len(plain), []
    for bundle in bundles:
        declared.append(f"{name}_{bundle.kind}.{bundle.end} {bundle.port}")
        needed = {
            _parameter(field): width
            for field, (width, _) in bundle.fields().items()
            if field in _varied(alike[bundle.kind])
        }
        given = ", ".join(f".{parameter}({width})" for parameter, width in needed.items())
        notes.append(f" // #({given})" if given else "")
        checks += _checks(bundle.port, needed)
    connected = [f".{port} ({port})" for port in plain]
    for bundle in bundles:
        connected += [f".{port} ({bundle.port}.{field})" for field, (port, _, _) in bundle.ports.items()]
    listed = [line + note for line, note in zip(_listed(declared), notes, strict=True)]
    lines += [f"module {name}_wrapper (", *listed, ");", *checks, f"    {name} unit ("]
    return "\n".join([*lines, *_listed(connected, 8), "    );", "endmodule", ""])


def _outs(outputs: Mapping[str, int]) -> dict[str, tuple[int, bool]]:
    """Return outputs with their mark."""
    return {port: (width, True) for port, width in outputs.items()}


def _sorted(ports: Mapping[str, tuple[int, bool]]) -> tuple[list[_Bundle], dict[str, tuple[int, bool]]]:
    """Return the bundles, and the ports that are in none."""
    found: dict[tuple[str, str], dict[str, tuple[str, int, bool]]] = {}
    plain = {}
    for port, (width, out) in ports.items():
        match = BUNDLE.fullmatch(port)
        if match:
            key = (match["bundle"] or match["axi"], match["place"] or "")
            found.setdefault(key, {})[match["field"] or match["wire"]] = (port, width, out)
        else:
            plain[port] = (width, out)
    return [_Bundle(*key, members) for key, members in found.items()], plain


def _interface(name: str, bundles: list[_Bundle]) -> list[str]:
    """Return the interface of bundles of a kind: every field of any of them, with a parameter where widths differ."""
    fields: dict[str, tuple[int, bool]] = {}
    for bundle in bundles:
        for field, found in bundle.fields().items():
            fields.setdefault(field, found)
    differ = _varied(bundles)
    parameters = [f"parameter int {_parameter(field)} = {fields[field][0]}" for field in fields if field in differ]
    head = [f"interface {name} #(", *_listed(parameters), ");"] if parameters else [f"interface {name};"]
    wires = []
    for field, (width, _) in fields.items():
        wires.append(f"    logic {f'[{_parameter(field)}-1:0] ' if field in differ else _range(width)}{field};")
    ends = []
    for end in (SENDER, RECEIVER):
        ways = [
            f"{'output' if forward == (end == SENDER) else 'input'} {field}" for field, (_, forward) in fields.items()
        ]
        ends.append(f"    modport {end} ({', '.join(ways)});")
    return [*head, *wires, *ends, "endinterface", ""]


def _varied(bundles: list[_Bundle]) -> set[str]:
    """Return the fields whose width is not the same in all bundles of a kind."""
    widths: dict[str, set[int]] = {}
    for bundle in bundles:
        for field, (width, _) in bundle.fields().items():
            widths.setdefault(field, set()).add(width)
    return {field for field, found in widths.items() if len(found) > 1}


def _parameter(field: str) -> str:
    """Return the parameter of an interface that is the width of a field."""
    return f"{field.upper()}_BITS"


def _checks(port: str, needed: Mapping[str, int]) -> list[str]:
    """Return lines that report an error of elaboration where an interface has other parameters than a port needs.

    Verilator and slang take the parameters themselves in such a place; the width of a member of an interface they do
    not both take.
    """
    lines = []
    for parameter, width in needed.items():
        lines.append(f"    if ({port}.{parameter} != {width}) begin : {port}_{parameter.lower()}")
        lines.append(f'        $error("{port} must have {parameter} {width}, not %0d", {port}.{parameter});')
        lines.append("    end")
    return lines


def _range(width: int) -> str:
    """Return the range of a vector, with a blank behind it; nothing for one bit."""
    return f"[{width - 1}:0] " if width > 1 else ""


def _listed(items: list[str], indent: int = 4) -> list[str]:
    """Return lines of a list, a comma behind all but the last."""
    blank = " " * indent
    return [f"{blank}{item}{',' if place < len(items) else ''}" for place, item in enumerate(items, 1)]
