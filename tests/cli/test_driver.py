"""The C driver of each router and of the collective unit: compiled in C and C++, and run on the RTL over AXI."""

import ctypes
import itertools
import re
import subprocess
from pathlib import Path

import pytest

from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.contract.message import encode
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.systems import units
from cubecast.tb.harness.bench import load
from cubecast.tb.harness.lockstep import lockstep
from tests.collective.corners import CORNERS as COLLECTIVE
from tests.common.driver_run import GET, PUT, RECEIVE, SEND, Device, Host
from tests.crosspoint.corners import CORNERS as CROSSPOINT
from tests.crosspoint.test_lockstep import PADDED
from tests.multicast.corners import CORNERS as MULTICAST
from tests.node.c_compiler import COMPILER
from tests.packet.corners import CORNERS as PACKET

CPP = ("g++", "-std=c++11", "-x", "c++", "-Wall", "-Wextra", "-Wpedantic", "-Werror")

PAGE = Path(__file__).parents[2] / "docs" / "driver_c.md"

HOST = Path(__file__).parents[1] / "common" / "driver_host.h"
"""The accesses that a driver is compiled with."""

CASES = {
    "multicast": ("router", MULTICAST["n2"]),
    "packet": ("packet-router", PACKET["least"]),
    "crosspoint": ("crosspoint-router", PADDED),
    "collective": ("collective-node", COLLECTIVE["n2"]),
}
"""System to the unit with its driver, and to the network on which the driver runs, which other tests build too."""

CORNERS = {
    "router": MULTICAST,
    "packet-router": PACKET,
    "crosspoint-router": CROSSPOINT,
    "collective-node": COLLECTIVE,
}
"""Units with a driver to configurations."""

STREAM, CUT_OFF, LONGER, REFUSED, BUSY = -1, -2, -3, -5, -6
"""What the functions of a driver return."""

EXTREMES = {
    "router": {
        "small": Config(dim=2, max_data=0, fault_tolerant=False, log_depth=0, counters=0),
        "wide": Config(dim=3, width=70, source_field=True),
    },
    "packet-router": {
        "small": PacketConfig(dim=2, max_words=1, routing="fixed", fault_tolerant=False, log_depth=0, counters=0),
        # The slot of a source word stands in two numbers of 32 bits.
        "wide": PacketConfig(dim=3, width=34),
    },
    "crosspoint-router": {
        "small": CrosspointConfig(dim=2, runs=1, multicast=False, fault_tolerant=False, log_depth=0, counters=0),
        "wide": CrosspointConfig(dim=3, width=70),
    },
    "collective-node": {
        "small": CollectiveConfig(router=Config(dim=2, log_depth=0, counters=0), max_relays=0),
        "wide": CollectiveConfig(router=Config(dim=3, width=70)),
    },
}
"""Configurations in which there is least of all, and in which a word takes several numbers."""


def files(called, config, name="cubecast"):
    """Return the C files of a unit."""
    system, unit = units()[called]
    return system.description.headers(unit, config, name)


def compiled(folder, device, made):
    """Return the path of a driver as a shared object with the accesses of the tests."""
    for file, text in made.items():
        (folder / file).write_text(text)
    host = HOST.read_text().replace("cubecast_device", f"cubecast_{device}")
    (folder / "host.h").write_text(host)
    access = f'-DCUBECAST_{device.upper()}_ACCESS="host.h"'
    command = [*COMPILER, "-shared", "-fPIC", access, f"cubecast_{device}.c", "-o", f"{device}.so"]
    subprocess.run(command, cwd=folder, check=True)
    return str(folder / f"{device}.so")


def functions(header):
    """Return the names of all functions that a header declares, but for the accesses, without their prefix."""
    return sorted(set(re.findall(r"^[\w ]+[ *]cubecast_[a-z]+_(\w+)\(", header, re.M)) - {"get", "put"})


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("simulator", ["verilator"], indirect=True)
def test_every_function_on_hardware(tmp_path, simulator, case):
    """All functions that a driver's header declares are called, and do what it says; RTL and twin agree."""
    called, config = CASES[case]
    device = "collective" if case == "collective" else "router"
    made = files(called, config)
    options = {"path": compiled(tmp_path, device, made), "functions": functions(made[f"cubecast_{device}.h"])}
    bench = load(f"tests.{case}.driver_programs:BENCH")
    report = lockstep(bench, config, simulator=simulator, cycles=6000, options=options)
    assert report.finished


@pytest.mark.parametrize("called", CORNERS)
def test_they_compile_without_warnings(tmp_path, called):
    """As C99 and as C++, with their own accesses and any name, where much is left out and where words are wide."""
    compiles(tmp_path, called, ("small", "wide"))


@pytest.mark.parametrize(
    ("called", "header"), [("router", "router"), ("collective-node", "collective"), ("node", "node")]
)
def test_two_units_of_one_name_are_an_error(tmp_path, called, header):
    """In one C file: the guard of a header does not hide that of another unit; the same one twice is none."""
    for folder, dim in (("a", 2), ("same", 2), ("b", 3)):
        (tmp_path / folder).mkdir()
        config = units()[called][0].config.from_json({"dim": dim})
        for file, text in files(called, config).items():
            (tmp_path / folder / file).write_text(text)
    for other, status in (("same", 0), ("b", 1)):
        text = "".join(f'#include "{folder}/cubecast_{header}.h"\n' for folder in ("a", other))
        (tmp_path / "user.c").write_text(text)
        done = subprocess.run([*COMPILER, "-c", "user.c"], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (done.returncode, "two different headers define" in done.stderr) == (status, bool(status))


@pytest.mark.soak
@pytest.mark.parametrize("called", CORNERS)
def test_they_compile_with_all_parameters(tmp_path, called):
    """The same at every corner."""
    compiles(tmp_path, called, CORNERS[called])


def compiles(folder, called, names):
    """Let both compilers look at the C files for configurations, by name."""
    given = CORNERS[called] | EXTREMES[called]
    for name in names:
        for file, text in files(called, given[name], f"the_{name}").items():
            (folder / file).write_text(text)
    plain = {"router": Config(dim=3), "crosspoint-router": CrosspointConfig(dim=3)}
    if called in plain:
        # The programs of the docs, over the driver as it is without a name of its own.
        multicast, crosspoint = re.findall(r"```c\n(.*?)```", PAGE.read_text(), re.S)
        main = multicast.index("int main")
        (folder / "shown.c").write_text(multicast if called == "router" else multicast[:main] + crosspoint)
        for file, text in files(called, plain[called]).items():
            (folder / file).write_text(text)
    sources = sorted(path.name for path in folder.glob("*.c"))
    assert len(sources) >= len(names)
    for compiler, source in itertools.product((COMPILER, CPP), sources):
        subprocess.run([*compiler, "-fsyntax-only", source], cwd=folder, check=True)


@pytest.mark.parametrize("case", CASES)
def test_no_more_words_are_told_than_there_is_room(tmp_path, case):
    """Of a message that is cut off, or whose stream gives up; of one that is too long, all are told."""
    called, config = CASES[case]
    device = "collective" if case == "collective" else "router"
    made = files(called, config)
    library = ctypes.CDLL(compiled(tmp_path, device, made))
    error = int(re.findall(r"RECEIVE_ERROR_MASK 0x(\w+)u", made[f"cubecast_{device}.h"])[0], 16)
    before = {"multicast": 1, "packet": 2}.get(case, 0)
    beats = []

    def receive(_, word, user, last):
        """Give the next beat; give up when there is none."""
        if not beats:
            return 1
        word[0], user[0], ctypes.cast(last, ctypes.POINTER(ctypes.c_int))[0] = beats.pop(0)
        return 0

    unit = Device(0, 0, SEND(), RECEIVE(receive), None)
    for room, came in itertools.product((0, 1, 2, 6), (0, 1, 6)):
        payload = [(100 + place, 0, 0) for place in range(came)]
        for status, end in ((STREAM, []), (CUT_OFF, [(7, error, 1)]), (LONGER if came >= room else 0, [(7, 0, 1)])):
            beats[:] = [(0, 0, 0)] * before + payload + end
            data, words = (ctypes.c_uint32 * 8)(*[5] * 8), ctypes.c_uint32(99)
            found = [ctypes.byref(ctypes.c_uint32()) for _ in range(before)]
            got = getattr(library, f"cubecast_{device}_receive")(
                ctypes.byref(unit), *found, data, room, ctypes.byref(words)
            )
            kept = min(came, room)
            assert (got, words.value) == (status, came + 1 if status in (LONGER, 0) else kept), (room, came)
            assert list(data[:kept]) == [100 + place for place in range(kept)] and list(data[room:]) == [5] * (8 - room)


@pytest.mark.parametrize("case", CASES)
def test_nothing_hangs_where_every_register_reads_as_ones(tmp_path, case):
    """As where no unit is mapped: init ends and refuses, and so does a wait with a limit."""
    called, config = CASES[case]
    device = "collective" if case == "collective" else "router"
    library = ctypes.CDLL(compiled(tmp_path, device, files(called, config)))
    reads = []

    def get(_, number):
        """Return ones; after more reads than any log has entries, zeros, so that an endless loop ends."""
        reads.append(number)
        return 0xFFFFFFFF if len(reads) < 1000 else 0

    host = Host(GET(get), PUT(lambda _registers, _number, _value: None))
    ctypes.memmove(ctypes.addressof(Host.in_dll(library, "host")), ctypes.addressof(host), ctypes.sizeof(Host))
    unit = ctypes.byref(Device(1, 0, SEND(), RECEIVE(), None))
    if device == "collective":
        assert library.cubecast_collective_wait_for(unit, 5) == BUSY and len(reads) == 5
    else:
        assert library.cubecast_router_init(unit, 0) == REFUSED and len(reads) <= config.log_depth + 1
        reads.clear()
        assert library.cubecast_router_init(unit, 0xFFFFFFFF) == REFUSED


def test_accesses_may_include_headers_of_cpp(tmp_path):
    """Of templates, which can not have the linkage of C."""
    for file, text in files("router", Config(dim=2)).items():
        (tmp_path / file).write_text(text)
    (tmp_path / "host.h").write_text("#include <atomic>\n" + HOST.read_text().replace("device", "router"))
    access = '-DCUBECAST_ROUTER_ACCESS="host.h"'
    subprocess.run([*CPP, "-fsyntax-only", access, "cubecast_router.c"], cwd=tmp_path, check=True)


@pytest.mark.parametrize("routing", ["fixed", "quasi-adaptive"])
def test_a_packet_takes_the_slot_of_its_routing(tmp_path, routing):
    """With the link in dimension 0 cut: the lowest slot with fixed routing, as its router drops a packet in another."""
    config, sent = PacketConfig(dim=3, routing=routing), []
    library = ctypes.CDLL(compiled(tmp_path, "router", files("packet-router", config)))
    take = SEND(lambda _stream, word, user, last: sent.append((word[0], user, last)) or 0)
    host = Host(GET(lambda _registers, _number: 0b001), PUT(lambda _registers, _number, _value: None))
    ctypes.memmove(ctypes.addressof(Host.in_dll(library, "host")), ctypes.addressof(host), ctypes.sizeof(Host))
    data = (ctypes.c_uint32 * 1)(7)
    assert library.cubecast_router_send(ctypes.byref(Device(1, 0, take, RECEIVE(), None)), 0b011, data, 1) == 0
    slot = 0b001 if routing == "fixed" else 0b010
    assert sent == [(0b011, slot, 0), (7, slot, 1)]


@pytest.mark.parametrize(
    "config",
    [
        Config(dim=3, max_dest=2, max_list=5, source_field=True, width=40),
        Config(dim=3, max_dest=2, max_list=5, fault_tolerant=False),
    ],
    ids=["control", "source"],
)
def test_messages_are_those_of_the_contract(tmp_path, config):
    """Each word of lists short and long, and of a broadcast, as the golden model makes them; the last one ends."""
    library = ctypes.CDLL(compiled(tmp_path, "router", files("router", config)))
    parts, sent = -(-config.width // 32), []

    def take(_, word, user, last):
        """Keep a word."""
        sent.append((sum(word[part] << 32 * part for part in range(parts)), user, last))
        return 0

    device = Device(0, 6, SEND(take), RECEIVE(), None)
    payload = [7 << config.width - 3, 1]
    data = (ctypes.c_uint32 * (2 * parts))(
        *(word >> 32 * part & 0xFFFFFFFF for word in payload for part in range(parts))
    )
    for destinations in ([1], [1, 2], [1, 2, 3], [1, 2, 3, 4, 5], None):
        for words in (0, 2):
            sent.clear()
            if destinations is None:
                assert library.cubecast_router_broadcast(ctypes.byref(device), data, words) == 0
            else:
                listed = (ctypes.c_uint32 * len(destinations))(*destinations)
                given = (ctypes.byref(device), listed, len(destinations), data, words)
                assert library.cubecast_router_send(*given) == 0
            wanted = encode(config, 6, destinations, payload[:words])
            assert sent == [(word, 0, int(place == len(wanted))) for place, word in enumerate(wanted, 1)]
