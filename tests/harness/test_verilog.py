"""Verilog from the cache: a unit is converted once, whether it is a design of its own or placed in another one."""

from __future__ import annotations

from pathlib import Path

import pytest

from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.rtl.common.instance import Modules
from cubecast.rtl.common.verilog import write
from cubecast.rtl.packet.crossbar_output import CrossbarOutput
from cubecast.tb.harness import verilog
from cubecast.tb.harness.verilog import verilog_of

CONFIG = PacketConfig(dim=2)
OUTPUT, ARBITER = "cubecast.rtl.packet.crossbar_output:CrossbarOutput", "cubecast.rtl.packet.tree_arbiter:TreeArbiter"


@pytest.fixture
def converted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the names of all modules that are converted in a test, which begins with an empty cache."""
    names: list[str] = []
    convert = Modules.convert

    def listen(modules: Modules, component: object, name: str) -> str:
        names.append(name.rpartition("_")[0] or name)
        return convert(modules, component, name)

    monkeypatch.setenv("CUBECAST_CACHE", str(tmp_path))
    monkeypatch.setattr(Modules, "convert", listen)
    another_process(monkeypatch)
    return names


def another_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this process know of no module."""
    monkeypatch.setattr(verilog, "_modules", verilog._Modules())


def test_a_unit_is_converted_once(converted: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """By any process, and its text is that of a unit that nobody has placed."""
    alone = verilog_of(ARBITER, CONFIG, {"count": 3})
    met = list(converted)
    assert met[0] == "cubecast_packet_tree_arbiter_3"
    another_process(monkeypatch)
    around = verilog_of(OUTPUT, CONFIG, {"count": 3, "local": True})
    rest = converted[len(met) :]
    assert rest[0] == "cubecast_packet_crossbar_output_3_local" and not {*met} & {*rest}
    another_process(monkeypatch)
    names = {"name": "other"}
    assert verilog_of(OUTPUT, CONFIG, {"count": 3, "local": True}, **names) == around.replace("top", "other")
    assert converted == [*met, *rest]
    assert write(CrossbarOutput(CONFIG, count=3, local=True), "top") == around
    assert "\nmodule top(" in alone and "tree_arbiter" not in alone


def test_a_module_of_other_sources_is_not_taken(converted: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor one of which a machine that went down has kept the name alone."""
    text = verilog_of(ARBITER, CONFIG, {"count": 1})
    once = len(converted)
    for file in (verilog.cache_dir() / "modules").iterdir():
        file.write_bytes(b"")
    another_process(monkeypatch)
    assert verilog_of(ARBITER, CONFIG, {"count": 1}, name="second") == text.replace("top", "second")
    assert len(converted) == 2 * once
    monkeypatch.setattr(verilog, "_hardware_digest", lambda: "of other sources")
    another_process(monkeypatch)
    assert verilog_of(ARBITER, CONFIG, {"count": 1}, name="third") == text.replace("top", "third")
    assert len(converted) == 3 * once


@pytest.mark.parametrize("unit", ["send_scheduler:SendScheduler", "receive_engine:ReceiveEngine"])
def test_every_block_runs_at_the_start(unit: str) -> None:
    """Also those of one statement, for some bits of a net, which Yosys writes at the end of a module."""
    text = verilog_of(f"cubecast.rtl.node.{unit}", NodeConfig(router=PacketConfig(dim=2)))
    blocks = text.split("  always @*")[1:]
    assert len(blocks) > 10
    for block in blocks:
        assert block.startswith(" begin\n    if (at_start) begin end\n"), block[:200]
