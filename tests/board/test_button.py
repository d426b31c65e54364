"""The button, which belongs to no clock, in the Verilog of the panel."""

import json

from cubecast.tb.harness import yosys
from cubecast.tb.harness.verilog import verilog_of
from tests.board.corners import CORNERS


def read(cell):
    """Return the bits that a cell of Yosys reads."""
    return [bit for pin, bits in cell["connections"].items() if cell["port_directions"][pin] == "input" for bit in bits]


def test_two_marked_registers_settle_it(tmp_path):
    """One alone reads the button, another one alone reads that, and these two have the attribute ASYNC_REG."""
    (tmp_path / "panel.v").write_text(verilog_of("cubecast.rtl.board.panel:Panel", CORNERS["default"]))
    (tmp_path / "panel.ys").write_text("read_verilog panel.v\nproc\nopt\nwrite_json panel.json\n")
    assert not yosys.run(["-q", "panel.ys"], folder=tmp_path).status
    (module,) = json.loads((tmp_path / "panel.json").read_text())["modules"].values()
    bits = module["ports"]["button"]["bits"]
    settling = []
    for _ in range(2):
        readers = [cell["connections"] for cell in module["cells"].values() if bits[0] in read(cell)]
        assert len(readers) == 1
        bits = readers[0]["Q"]
        settling += bits
    marked = [net["bits"] for net in module["netnames"].values() if net["attributes"].get("ASYNC_REG") == "TRUE"]
    assert sorted(marked) == sorted([bit] for bit in settling)
