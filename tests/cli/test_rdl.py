"""Registers in SystemRDL, read by a compiler and by exporters that nobody here wrote."""

import re
import subprocess
import xml.etree.ElementTree as xml

import pytest
from peakrdl_cheader.exporter import CHeaderExporter
from peakrdl_html import HTMLExporter
from peakrdl_ipxact.exporter import IPXACTExporter
from systemrdl import AddrmapNode, RDLCompiler
from systemrdl.node import RegNode

from cubecast.systems import units
from cubecast.systems.rdl import rdl, tables


def described(called, **parameters):
    """Return the formats of a unit, which have its registers."""
    system, unit = units()[called]
    return system.description.formats(unit, system.config.from_json({"dim": 3, **parameters}))


def compiled(folder, text):
    """Return what the compiler makes of a text: its address maps by name."""
    (folder / "unit.rdl").write_text(text)
    compiler = RDLCompiler()
    compiler.compile_file(str(folder / "unit.rdl"))
    names = re.findall(r"^addrmap (\w+)", text, re.M)
    return {name: compiler.elaborate(name).top for name in names}


def read(top: AddrmapNode):
    """Return the registers of an address map: byte offset, number, access, fields by name, reset value."""
    return {
        node.inst_name: (
            node.raw_absolute_address if not node.is_array else node.raw_address_offset,
            node.array_dimensions[0] if node.is_array else 1,
            node.array_stride if node.is_array else 4,
            "R" * node.has_sw_readable + "W" * node.has_sw_writable,
            {field.inst_name: (field.low, field.width) for field in node.fields()},
            sum(field.get_property("reset") << field.low for field in node.fields()),
        )
        for node in top.children(unroll=False)
        if isinstance(node, RegNode)
    }


def wanted(entries):
    """Return the same of a table."""
    return {
        entry["name"]: (
            4 * entry["address"],
            entry["count"],
            4,
            entry["access"],
            {field["name"]: (field["low"], field["width"]) for field in entry["fields"]},
            entry["reset"],
        )
        for entry in entries
    }


OFTEN = (
    "mhu",
    "self-test",
    "packet-router",
    "crosspoint-node",
    "node",
    "axi-node",
    "collective-unit",
    "reduction-router",
)
"""Units with tables of all kinds; those of the others are among these."""


@pytest.mark.parametrize(
    "called", [name if name in OFTEN else pytest.param(name, marks=pytest.mark.soak) for name in units()]
)
def test_the_compiler_reads_the_table(tmp_path, called):
    """Each register of each table of the unit: place, number, access, fields, and value after reset."""
    found = described(called)
    maps = compiled(tmp_path, rdl(found, "unit"))
    assert {name: read(top) for name, top in maps.items()} == {
        f"unit_{name}": wanted(entries) for name, entries in tables(found).items()
    }
    assert bool(maps) == (called not in ("mhu", "crosspoint-board"))


@pytest.mark.parametrize(
    ("called", "register", "does"),
    [
        ("node", "IRQ_STATUS", {("rw", "woclr")}),
        ("node", "ENABLE", {("rw", "woset")}),
        ("node", "IRQ_ENABLE", {("rw", None)}),
        ("reduction-router", "STATUS", {("rw", "woclr"), ("r", None)}),
    ],
)
def test_what_a_written_one_does(tmp_path, called, register, does):
    """Bits that a 1 clears or sets are such for tools, too; a model of registers would have what was written else."""
    maps = compiled(tmp_path, rdl(described(called), "unit"))
    (found,) = (top.get_child_by_name(register) for name, top in maps.items() if not name.endswith("unit_registers"))
    told = {field.inst_name: (field.get_property("sw").name, field.get_property("onwrite")) for field in found.fields()}
    assert {(sw, write and write.name) for sw, write in told.values()} == does
    assert told.get("IDLE", ("r", None)) == ("r", None)


def test_what_exporters_make_of_it(tmp_path):
    """IP-XACT has every register at its place, the C header compiles and has the table's size, HTML has pages."""
    found = described("router")
    ((name, top),) = compiled(tmp_path, rdl(found, "unit")).items()
    IPXACTExporter().export(top, str(tmp_path / "unit.xml"))
    space = {"i": "http://www.accellera.org/XMLSchema/IPXACT/1685-2014"}
    places = {
        register.findtext("i:name", namespaces=space): register.findtext("i:addressOffset", namespaces=space)
        for register in xml.parse(tmp_path / "unit.xml").iter(f"{{{space['i']}}}register")
    }
    assert {key: int(value.replace("'h", ""), 16) for key, value in places.items()} == {
        entry["name"]: entry["byte_offset"] for entry in found["registers"]
    }
    CHeaderExporter().export(top, str(tmp_path / "unit.h"))
    last = found["registers"][-1]
    size = last["byte_offset"] + 4 * last["count"]
    check = f'#include "unit.h"\n_Static_assert(sizeof({name}_t) == {size}, "size");\n'
    (tmp_path / "check.c").write_text(check)
    command = ["g++", "-x", "c", "-std=c11", "-Wall", "-Werror", "-fsyntax-only", "check.c"]
    subprocess.run(command, cwd=tmp_path, check=True)
    HTMLExporter().export(top, str(tmp_path / "page"))
    assert "WAITED" in "".join(path.read_text() for path in (tmp_path / "page" / "content").glob("*.html"))
