"""A new system is an object in one table: no command has to know of it."""

import dataclasses
import json
import types

import pytest

from cubecast.cli import main
from cubecast.golden.common.contract.parameters import CubeParameters, integer
from cubecast.systems import SYSTEMS
from cubecast.systems.description import shared
from cubecast.systems.system import Parameter, System, Unit

PORTS = {"enable": "count", "o": "the count", "full": "it is the greatest", "wide": "the count times 2**80"}


@dataclasses.dataclass(frozen=True, kw_only=True)
class ToyConfig(CubeParameters):
    """Parameters of the toy: of those that all other routers have the dimension only."""

    bits: int = 4

    def __post_init__(self):
        """Check everything."""
        integer("dim", self.dim, 2, 10)
        integer("bits", self.bits, 4, 8)

    @property
    def width(self):
        """Width of the counter."""
        return self.bits


TOY = System(
    name="toy",
    config=ToyConfig,
    title="parameters of the toy",
    parameters=(Parameter(name="bits", help="of the counter, 4 to 8 (default 4)"),),
    units=(Unit(name="counter", component="tests.harness.toy_rtl:Counter", routes=False),),
    units_help="a toy",
    files_help={"toy.h": "what the toy has for C"},
    description=types.SimpleNamespace(
        meaning=lambda port, unit: PORTS.get(port) or shared(port),
        derived=lambda config: {"most": (1 << config.bits) - 1},
        formats=lambda unit, config: {"count": config.bits},
        headers=lambda unit, config, name: {"toy.h": f"#define BITS {config.bits}\n"},
        missing=lambda config: "",
    ),
)


@pytest.fixture(autouse=True)
def toy(monkeypatch):
    """Make the toy known, as the line of its folder does."""
    monkeypatch.setitem(SYSTEMS, "toy", TOY)


def test_it_is_generated_and_described(capsys, tmp_path):
    """Verilog, ports, parameters, C header; the help text has its unit, its parameter and its files."""
    assert main(["generate", "counter", "--dim", "2", "--bits", "5", "-o", str(tmp_path)]) == 0
    described = json.loads((tmp_path / "cubecast_counter.json").read_text())
    assert described["parameters"] == {"dim": 2, "bits": 5} and described["derived"] == {"most": 31}
    assert {port["name"]: port["width"] for port in described["ports"]}["o"] == 5
    assert "module cubecast_counter(" in (tmp_path / "cubecast_counter.v").read_text()
    assert (tmp_path / "toy.h").read_text().endswith("#define BITS 5\n")
    capsys.readouterr()
    assert main(["generate", "--help"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    for text in ("or of a toy.", "--bits N of", "toy.h what the toy has for C", ",counter"):
        assert text in said, text


@pytest.mark.parametrize(
    ("unit", "options", "line"),
    [
        ("counter", "--bits 9", "bits must be an integer from 4 to 8, not 9"),
        ("counter", "--lanes 2", "lanes must be given with the multicast router only, not with the toy router"),
        ("counter", "--preset small", "preset must be default with the toy router, not 'small'"),
        ("router", "--bits 4", "bits must be given with the toy router only, not with the multicast router"),
        *(
            (
                "counter",
                f"--{option}",
                f"{option.split()[0]} must be given with the multicast and packet and crosspoint routers only, "
                "not with the toy router",
            )
            for option in ("width 8", "log-depth 3", "counters none", "memories block", "fault-free", "fault-tolerant")
        ),
    ],
)
def test_what_it_does_not_have_is_refused(capsys, tmp_path, unit, options, line):
    """In one line, with status 2, parameters that all other routers have too."""
    folder = tmp_path / "out"
    assert main(["generate", unit, "--dim", "2", *options.split(), "-o", str(folder)]) == 2
    assert capsys.readouterr().err == f"cubecast generate: {line}\n"
    assert not folder.exists()
