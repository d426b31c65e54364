"""Timing diagrams of the docs, drawn from runs of the RTL router: ``python -m cubecast.tb.measure.timing docs/timing``.

Each scene is played into a router beside its golden twin; the diagram shows what the two had in common in each cycle.
"""

from __future__ import annotations

import importlib
import json
import sys

from cubecast.golden.common.contract.control import Register
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.word import Kind
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.contract.packet import Head, source_word
from cubecast.options.arguments import Parser, folder_name
from cubecast.options.ending import STATUSES, concluded
from cubecast.options.files import write_files
from cubecast.tb.harness.bench import RESET_CYCLES
from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.measure.recording import CROSSPOINT, MULTICAST, PACKET

__all__ = ["CONFIG", "CROSSPOINT_CONFIG", "PACKET_CONFIGS", "SCENES", "diagram", "main", "picture"]

CONFIG = Config(dim=3, max_dest=4, width=16, max_data=8)
"""The router of the diagrams; its address is 0."""

PACKET_CONFIGS = {link: PacketConfig(dim=3, link=link) for link in ("parallel", "serial")}
"""The packet routers of the diagrams; their address is 0, too."""

CROSSPOINT_CONFIG = CrosspointConfig(dim=3, pause_limit=20, eject_depth=128)
"""The crosspoint router of the diagrams; its address is 0, and its ejection queues are in block RAM."""

HEADER = ("r1", "r2")
"""Signals of a crosspoint router that mean something beside the first word of a packet."""

Word = tuple[int, str]
"""A word, and what the diagram calls it."""


class Scene:
    """A short run: what is driven in which cycle, and what is shown.

    Parameters
    ----------
    title : str
        Heading of the diagram.
    cycles : int
        Length of the run.
    groups : tuple
        Name of a group of signals, and the signals shown in it.

    ``heads`` are the cycles in which a packet with a header beside its first word is injected.
    """

    bench, buses = MULTICAST, ("data", "ready", "reason", "destination", "address")

    def __init__(self, title: str, cycles: int, *groups: tuple[str, tuple[str, ...]]) -> None:
        self.title, self.groups = title, groups
        self.names: dict[int, str] = {}
        self.heads: set[int] = set()
        self.config: Config | CrosspointConfig | PacketConfig = CONFIG
        self.script: list[dict[str, int]] = [{} for _ in range(cycles)]
        ready = (1 << CONFIG.lanes) - 1
        self.script[0] |= {"eject__ready": 1} | {f"link_out__{j}__ready": ready for j in range(CONFIG.dim)}

    def send(self, stream: str, start: int, *words: Word, cut: bool = False) -> Scene:
        """Drive a message, a word in each cycle; ``cut``: it is not the end of it."""
        for offset, (value, name) in enumerate(words):
            last = int(offset == len(words) - 1 and not cut)
            drive = {f"{stream}__valid": 1, f"{stream}__data": value, f"{stream}__last": last}
            self.script[start + offset] |= drive
            self.names[value] = name
        self.script[start + len(words)] |= {f"{stream}__valid": 0, f"{stream}__last": 0}
        return self

    def drive(self, cycle: int, **inputs: int) -> Scene:
        """Drive inputs from a cycle on."""
        self.script[cycle] |= inputs
        return self


class PacketScene(Scene):
    """A short run of a packet router.

    Parameters
    ----------
    title : str
        Heading of the diagram.
    cycles : int
        Length of the run.
    link : str
        Kind of its links.
    groups : tuple
        Name of a group of signals, and the signals shown in it.
    """

    bench, buses = PACKET, ("data",)

    def __init__(self, title: str, cycles: int, link: str, *groups: tuple[str, tuple[str, ...]]) -> None:
        super().__init__(title, cycles, *groups)
        self.config = PACKET_CONFIGS[link]
        ready = "ready" if link == "parallel" else None
        self.script[0] = {"eject__ready": 1} | {f"link_out__{j}__{ready}": 1 for j in range(3) if ready}

    def come(self, start: int, head: Head, *words: Word) -> PacketScene:
        """Let a packet come over link 0: whole words, or bit by bit."""
        config = self.config
        assert isinstance(config, PacketConfig)
        coded = head.encode(config)
        if config.link == "parallel":
            for offset, (value, name) in enumerate(((coded, "H"), *words)):
                drive = {"valid": 1, "head": int(not offset), "data": value}
                self.script[start + offset] |= {f"link_in__0__{field}": item for field, item in drive.items()}
                self.names[value] = name
            self.script[start + 1 + len(words)] |= {"link_in__0__valid": 0}
            # The head goes out with the next hop's port.
            onward = Head(next_port=config.local, length=head.length, destination=head.destination)
            self.names[onward.encode(config)] = "H'"
        else:
            bits = f"10{coded:0{config.head_bits}b}"
            bits += "".join(f"10{value:0{config.width}b}" for value, _ in words) + "0"
            for cycle, bit in zip(range(start, len(self.script)), bits, strict=False):
                self.script[cycle] |= {"link_in__0__line": int(bit)}
        return self


class CrosspointScene(Scene):
    """A short run of a crosspoint router; all links have room unless they are driven otherwise.

    Parameters
    ----------
    title : str
        Heading of the diagram.
    cycles : int
        Length of the run.
    groups : tuple
        Name of a group of signals, and the signals shown in it.
    """

    bench, buses = CROSSPOINT, ("data", "push", "reason", "destination", *HEADER)

    def __init__(self, title: str, cycles: int, *groups: tuple[str, tuple[str, ...]]) -> None:
        super().__init__(title, cycles, *groups)
        self.config = CROSSPOINT_CONFIG
        flags = {f"link_out__{j}__{flag}": 1 for j in range(CROSSPOINT_CONFIG.dim) for flag in ("ready", "ready_up")}
        self.script[0] = {"eject__ready": 1} | flags

    def packet(self, start: int, letter: str, words: int, r1: int = 0, r2: int = 0) -> CrosspointScene:
        """Inject a unicast, a word in each cycle."""
        for offset in range(words):
            drive = {"valid": 1, "last": int(offset == words - 1), "data": self._word(letter, offset)}
            self.script[start + offset] |= {f"inject__{name}": value for name, value in drive.items()}
        self.script[start] |= {"inject__r1": r1, "inject__r2": r2}
        self.script[start + words] |= {"inject__valid": 0, "inject__last": 0}
        self.heads.add(start)
        return self

    def come(
        self, j: int, start: int, letter: str, words: int, push: int, *, cut: bool = False, **header: int
    ) -> CrosspointScene:
        """Let a packet come over a link for some queues; ``cut``: its last word does not come."""
        for offset in range(words):
            drive = {"push": push, "head": int(not offset), "last": int(offset == words - 1 and not cut)}
            drive["data"] = self._word(letter, offset)
            self.script[start + offset] |= {f"link_in__{j}__{name}": value for name, value in drive.items()}
        self.script[start] |= {f"link_in__{j}__{name}": value for name, value in header.items()}
        self.script[start + words] |= {f"link_in__{j}__{name}": 0 for name in ("push", "head", "last")}
        return self

    def _word(self, letter: str, offset: int) -> int:
        """Return a word of a packet, and give it a name."""
        value = 0x100 * ord(letter) + offset + 1
        self.names[value] = f"{letter}{offset + 1}"
        return value


def _message(number: int, destinations: list[int], data: int) -> list[Word]:
    """Return the words of a message: k, the list and Control by their values, the payload as a1, a2, ... or b1, ..."""
    header = [(word, str(word)) for word in (len(destinations), *destinations, 0)]
    return header + [(0x100 * number + place, f"{chr(96 + number)}{place}") for place in range(1, data + 1)]


INJECT = ("inject", ("inject__valid", "inject__data", "inject__last", "inject__ready"))
EJECT = ("eject", ("eject__valid", "eject__data", "eject__last", "eject__error"))


def _out(j: int, *more: str) -> tuple[str, tuple[str, ...]]:
    """Return the signals of an outgoing link."""
    return f"link_out {j}", tuple(f"link_out__{j}__{name}" for name in ("valid", "data", "last", *more))


def _in(j: int, *more: str) -> tuple[str, tuple[str, ...]]:
    """Return the signals of an incoming link."""
    return f"link_in {j}", tuple(f"link_in__{j}__{name}" for name in ("valid", "data", "last", *more))


def _crossing(way: str, j: int, *more: str) -> tuple[str, tuple[str, ...]]:
    """Return the signals of a crosspoint router's link."""
    return f"{way} {j}", tuple(f"{way}__{j}__{name}" for name in ("push", "head", "data", "last", *more))


REPORT = ("report", ("report__valid", "report__reason", "report__destination"))
GIVEN = ("inject", tuple(f"inject__{name}" for name in ("valid", "data", "last", "r1", "r2", "ready")))
CONTROL = ("control", ("control__address", "control__write", "control__write_data", "control__read_data"))

_HEAD = Head(next_port=2, length=1, destination=4)
_SOURCE = source_word(PACKET_CONFIGS["serial"], 0, 1)
"""A packet of one word from slot 0 of node 1 to node 4: from node 0 on it goes by dimension 2."""

SCENES = {
    "unicast": Scene("unicast from node 000 to 100", 13, INJECT, _out(2)).send("inject", 1, *_message(1, [4], 3)),
    "multicast": Scene(
        "multicast from node 000 to 011, 101 and 110: one dimension in each cycle", 16, INJECT, _out(0), _out(1)
    ).send("inject", 1, *_message(1, [3, 5, 6], 2)),
    "contention": Scene(
        "two messages for link 2: the second waits for the last word of the first", 20, _in(0), _in(1), _out(2)
    )
    .send("link_in__0", 1, *_message(1, [4], 3))
    .send("link_in__1", 1, *_message(2, [4], 3)),
    "not_ready": Scene("a lane that is not ready stops a first word only", 18, INJECT, _out(2, "ready"))
    .drive(0, link_out__2__ready=0)
    .drive(8, link_out__2__ready=7)
    .drive(9, link_out__2__ready=6)
    .send("inject", 1, *_message(1, [4], 5)),
    "link_cut_sender": Scene(
        "FAULT is written while a copy is on link 0: the sender drops it", 18, CONTROL, INJECT, _out(0, "down"), REPORT
    )
    .send("inject", 1, *_message(1, [1], 8))
    .drive(5, control__address=0, control__write=1, control__write_data=1)
    .drive(6, control__write=0),
    "link_cut_receiver": Scene(
        "the neighbour of link 0 sets its FAULT bit: the message that was coming in ends with error",
        18,
        _in(0, "down", "ready"),
        EJECT,
        REPORT,
    )
    .send("link_in__0", 1, *_message(1, [0], 3), cut=True)
    .drive(7, link_in__0__down=1),
    "control": Scene("read of MESSAGES_IN of the injection port, write of FAULT", 12, INJECT, CONTROL)
    .send("inject", 1, *_message(1, [4], 1))
    .drive(4, control__address=Register.MESSAGES_IN + CONFIG.dim)
    .drive(7, control__address=int(Register.FAULT), control__write=1, control__write_data=2)
    .drive(8, control__write=0),
    "packet_serial": PacketScene(
        "serial link: the start bit comes in cycle 1 and goes out in cycle 32",
        40,
        "serial",
        ("in 0", ("link_in__0__line", "link_in__0__hold")),
        ("out 2", ("link_out__2__line", "link_out__2__hold")),
    ).come(1, _HEAD, (_SOURCE, "S")),
    "packet_parallel": PacketScene(
        "parallel link: the head comes in cycle 1 and goes out in cycle 5",
        13,
        "parallel",
        ("link_in 0", tuple(f"link_in__0__{name}" for name in ("valid", "head", "data", "ready", "refusing"))),
        ("link_out 2", tuple(f"link_out__2__{name}" for name in ("valid", "head", "data", "ready"))),
    ).come(1, Head(next_port=2, length=4, destination=4), (_SOURCE, "S"), (11, "a1"), (12, "a2"), (13, "a3")),
    "crosspoint_unicast": CrosspointScene(
        "a cycle for the injection, and a cycle for each hop",
        10,
        GIVEN,
        _crossing("link_out", 2, "r1", "r2"),
        _crossing("link_in", 2, "r1", "r2"),
        _crossing("link_out", 1, "r1", "r2"),
    )
    .packet(1, "a", 3, r1=0b110, r2=0b001)
    .come(2, 2, "b", 4, 0b0010, r1=0b011),
    "crosspoint_multicast": CrosspointScene(
        "a word of a subcube goes into three queues",
        11,
        _crossing("link_in", 2, "r2"),
        _crossing("link_out", 1, "r2"),
        _crossing("link_out", 0, "r2"),
        EJECT,
    ).come(2, 1, "a", 3, 0b1011, r2=0b011, kind=Kind.SUBCUBE),
    "crosspoint_contention": CrosspointScene(
        "two packets for link 2: the second waits for the last word of the first",
        12,
        _crossing("link_in", 0),
        _crossing("link_in", 1),
        _crossing("link_out", 2),
    )
    .come(0, 1, "a", 3, 0b0100, r2=0b100)
    .come(1, 1, "b", 3, 0b0100, r2=0b100),
    "crosspoint_ready": CrosspointScene(
        "room for packets of the second run alone: a waits, b does not",
        14,
        GIVEN,
        _crossing("link_in", 0, "r2"),
        _crossing("link_out", 2, "ready", "ready_up"),
    )
    .drive(0, link_out__2__ready=0)
    .packet(1, "a", 3, r1=0b100)
    .come(0, 2, "b", 3, 0b0100, r2=0b100)
    .drive(7, link_out__2__ready=1)
    .drive(8, link_out__2__ready=0, link_out__2__ready_up=0),
    "crosspoint_cut": CrosspointScene(
        "the neighbour of link 0 cuts it: the packet ends with error",
        13,
        _crossing("link_in", 0, "down", "ready"),
        EJECT,
        REPORT,
    )
    .come(0, 1, "a", 3, 0b1000, cut=True)
    .drive(4, link_in__0__down=1),
}
"""File name to scene."""


def diagram(scene: Scene, simulator: str = "verilator") -> dict[str, object]:
    """Play a scene in lockstep and return its diagram in WaveJSON.

    Parameters
    ----------
    scene : Scene
        What is played.
    simulator : str
        ``"verilator"`` or ``"icarus"``.
    """
    cycles = len(scene.script)
    report = lockstep(
        scene.bench,
        scene.config,
        simulator=simulator,
        cycles=cycles + RESET_CYCLES + 1,
        options={"script": scene.script},
        require_events=False,
    )
    values = report.collected[:cycles]
    signals: list[object] = [{"name": "clk", "wave": "p" + "." * (cycles - 1)}]
    for title, names in scene.groups:
        signals.append([title, *(_signal(scene, name, values) for name in names)])
    return {"signal": signals, "head": {"text": scene.title, "tick": 0}}


def _signal(scene: Scene, name: str, values: list[dict[str, int | None]]) -> dict[str, object]:
    """Return one line of a diagram."""
    wave, data, before = "", [], ""
    for number, cycle in enumerate(values):
        now, repeated = _shown(scene, name, number, cycle)
        if now == before and not repeated:
            wave += "."
        elif now.startswith("="):
            wave += "="
            data.append(now[1:])
        else:
            wave += now
        before = now
    return {"name": name.rpartition("__")[2], "wave": wave} | ({"data": data} if data else {})


def _shown(scene: Scene, name: str, number: int, cycle: dict[str, int | None]) -> tuple[str, bool]:
    """Return a signal in a cycle, a value in a box after ``=``, and whether it is drawn anew if it stays the same."""
    stream, _, short = name.rpartition("__")
    value, bus = cycle[name], short.endswith(scene.buses) and name != "inject__ready"
    gate = next((f"{stream}__{each}" for each in ("valid", "push") if f"{stream}__{each}" in cycle), "")
    payload = bool(gate) and short not in ("valid", "push", "ready", "ready_up", "down", "refusing")
    if short in HEADER:
        gate = f"{stream}__head" if f"{stream}__head" in cycle else gate if number in scene.heads else ""
    if value is None or (payload and not cycle.get(gate)):
        return "x", False
    if short == "push" and not value:
        return "0", False
    if not bus:
        return str(value), False
    if short in ("push", *HEADER):
        ports = CROSSPOINT_CONFIG.ports
        return f"={value:0{ports if short == 'push' else ports - 1}b}", payload
    named = short == "data" and stream != "control"
    return f"={scene.names.get(value, str(value)) if named else f'{value:x}'}", payload


PROG = "python -m cubecast.tb.measure.timing"


def picture(waves: str) -> str:
    """Return a diagram in WaveJSON as SVG.

    The drawer reckons with Helvetica. Names of signals are smaller than it thinks, so that in a viewer's wider font,
    such as DejaVu Sans, they still end at the bracket of their group.
    """
    names = ".info{fill:#0041c4"
    svg = str(importlib.import_module("wavedrom").render(waves).tostring())
    if svg.count(names) != 1:
        raise ValueError(f"wavedrom must draw names with the style {names!r}: its version is another one")
    return svg.replace(names, f"{names};font-size:9pt")


def main(argv: list[str] | None = None) -> int:
    """Draw all scenes into a folder; return the exit status."""
    words = sys.argv[1:] if argv is None else argv
    return concluded(PROG, lambda: _draw(words), words)


def _draw(argv: list[str]) -> int:
    """Do it; return the exit status."""
    parser = Parser(prog=PROG, description=__doc__.splitlines()[0], epilog=f"exit status: 0; {STATUSES}")
    parser.add_argument("folder", type=folder_name, help="where the SVG files and their WaveJSON go")
    folder = parser.parse_args(argv).folder
    if not folder.is_dir():
        parser.error(f"folder must be one that exists, not {str(folder)!r}")
    for name, scene in SCENES.items():
        text = json.dumps(diagram(scene), indent=1)
        write_files(folder, {f"{name}.json": f"{text}\n", f"{name}.svg": f"{picture(text)}\n"})
        print(folder / f"{name}.svg")
    return 0


if __name__ == "__main__":
    sys.exit(main())
