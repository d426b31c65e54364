"""The register map: the control port has it, and docs, C header and address decoder follow from it."""

import re
import subprocess

import pytest

from cubecast.cli.registers import COMMAND, markdown
from cubecast.golden.common.contract.control import Register as Address
from cubecast.golden.common.contract.registers import known, meaning_of, writable
from cubecast.golden.common.twins.control_port import ControlPort
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.contract.reason import Reason
from cubecast.golden.multicast.contract.registers import REGISTERS, c_header, plain, register_map
from tests.cli.test_docs import ROOT

CONFIGS = [Config(dim=2), Config(dim=3, fault_tolerant=False), Config(dim=10, log_depth=1)]
CONFIGS += [Config(dim=4, log_depth=0, counters=8), Config(dim=5, counters=0), Config(dim=6, log_depth=0, counters=0)]


def test_the_page_of_the_docs_is_up_to_date():
    """The committed page is what the map says."""
    kept = (ROOT / "docs" / "registers.md").read_text()
    assert kept == markdown(), f"docs/registers.md is not what the contracts say; run: {COMMAND}"
    assert COMMAND in kept


def test_names_and_numbers_are_the_control_ports():
    """Every register that the golden control port names, and no other."""
    assert [(entry.name, entry.address) for entry in REGISTERS] == [(each.name, each.value) for each in Address]
    assert all(entry.meaning and all(field.meaning for field in entry.fields) for entry in REGISTERS)


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: f"n{config.dim}")
def test_a_control_port_reads_and_writes_where_the_map_says(config):
    """With every event, report and write, the addresses that read other than 0 or change are those of the map."""
    port = ControlPort(config.control)
    events = {name: (1 << config.ports) - 1 for name in ("message_in", "message_out", "word_out", "waited")}
    report = {"report_valid": 1, "report_destination": config.nodes - 1, "report_port": config.dim, "report_lane": 15}
    for reason in range(max(16, config.log_depth + 1)):
        port.step({**events, **report, "report_reason": 15 - reason % 16})
    port.step({"address": Address.FAULT, "write": 1, "write_data": 0xFFFFFFFF})
    port.step({})
    value = [port.read(number) for number in range(128)]
    faults = {Address.FAULT, Address.CUT}
    read = {number for number in range(128) if value[number]}
    assert read == set(known(register_map(config))) - (set() if config.fault_tolerant else faults)
    masks = {entry.address: sum(field.mask for field in entry.fields) for entry in register_map(config)}
    for entry in register_map(config):
        if entry.fields:
            assert value[entry.address] & ~masks[entry.address] == 0
    assert {value[number] for number in faults} == {config.nodes - 1 if config.fault_tolerant else 0}
    for number in range(128):
        before = [port.read(each) for each in range(128)]
        port.step({"address": number, "write": 1, "write_data": 0})
        port.step({})
        port.step({})
        assert ([port.read(each) for each in range(128)] != before) == (number in writable(register_map(config))), (
            number
        )


def test_fields_mean_what_the_control_port_puts_there():
    """Each field of LOG, STATUS, FAULT and CUT, one after the other."""
    config = Config(dim=5, log_depth=1)
    fields = {entry.name: entry.fields for entry in register_map(config)}
    port = ControlPort(config.control)

    def read(name):
        value = port.registers[getattr(Address, name)]
        return {field.name: (value & field.mask) >> field.low for field in fields[name]}

    assert not any(read("STATUS").values()) and not any(read("LOG").values())
    report = {"report_reason": Reason.NO_LANE, "report_destination": 22, "report_port": 5, "report_lane": 3}
    port.step({"report_valid": 1, **report})
    assert read("LOG") == {"DESTINATION": 22, "REASON": Reason.NO_LANE, "PORT": 5, "LANE": 3, "VALID": 1}
    assert read("STATUS") == {"MULTIPLE_FAULTS": 0, "LOG_NOT_EMPTY": 1, "ENTRIES_LOST": 0}
    port.step({"report_valid": 1})
    port.step({"address": Address.LOG, "write": 1})
    assert read("STATUS") == {"MULTIPLE_FAULTS": 0, "LOG_NOT_EMPTY": 0, "ENTRIES_LOST": 1}
    port.step({"address": Address.FAULT, "write": 1, "write_data": 0b10010})
    port.step({"down": 0b00001})
    assert (read("FAULT"), read("CUT")) == ({"VECTOR": 0b10010}, {"VECTOR": 0b10011})
    assert read("STATUS")["MULTIPLE_FAULTS"] == 1


def test_fields_and_registers_do_not_overlap():
    """Each bit and each number belongs to one."""
    for config in CONFIGS:
        numbers = known(register_map(config))
        assert len(set(numbers)) == len(numbers) and max(numbers) < 128
        for entry in register_map(config):
            total = sum(field.mask for field in entry.fields)
            assert total.bit_count() == sum(field.width for field in entry.fields) and total < 1 << 32
            assert bool(entry.on_write) == ("W" in entry.access)


def test_plain_values_say_every_bit():
    """The JSON has number and byte offset, and fields for every register."""
    found = plain(Config(dim=4))
    assert [entry["address"] * 4 for entry in found] == [entry["byte_offset"] for entry in found]
    assert all(entry["fields"] for entry in found)
    log = next(entry for entry in found if entry["name"] == "LOG")
    assert ("REASON", 12, 4) in [(field["name"], field["low"], field["width"]) for field in log["fields"]]
    assert [entry["count"] for entry in found if entry["index"] == "port"] == [5] * 4
    narrow = plain(Config(dim=4, log_depth=0, counters=8))
    assert {entry["name"] for entry in found} - {entry["name"] for entry in narrow} == {"LOG", "LOG_LOST"}
    assert narrow[-1]["fields"] == [
        {"name": "WAITED", "low": 0, "width": 8, "meaning": "counter of 8 bits, which wraps"}
    ]
    bare = {entry["name"]: [field["name"] for field in entry["fields"]] for entry in plain(Config(dim=4, counters=0))}
    assert bare["STATUS"] == ["MULTIPLE_FAULTS", "LOG_NOT_EMPTY"]
    assert set(bare) == {"FAULT", "STATUS", "LOG", "CUT"}


def test_reasons_have_their_meaning():
    """The text below each reason, without markup."""
    texts = [meaning_of(reason) for reason in Reason if reason]
    assert len(set(texts)) == len(texts)
    assert not [text for text in texts if "`" in text or "*/" in text or not text or text.endswith(".")]
    assert meaning_of(Reason.K_ZERO) == "malformed: the k field is 0"


USER = """\
#include <stdint.h>
#include <stdio.h>
#include "cubecast_regs.h"
#include "cubecast_regs.h"

int main(void)
{
    uint32_t shown[] = { SHOWN };
    unsigned place;
    for (place = 0; place < sizeof shown / sizeof *shown; place++) printf("%lu\\n", (unsigned long)shown[place]);
    return 0;
}
"""


@pytest.mark.parametrize(
    "compiler",
    [["g++", "-std=c99", "-x", "c"], ["g++", "-std=c++98", "-x", "c++"]],
    ids=["c", "c++"],
)
@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: f"n{config.dim}")
def test_the_c_header_compiles_and_has_the_maps_values(tmp_path, compiler, config):
    """With every warning an error, included twice; each macro has the value that the map says."""
    values = {"NODES": config.nodes, "PORTS": config.ports, "LOCAL_PORT": config.dim, "BROADCAST_K": config.nodes - 1}
    values |= {"MESSAGE_WORDS": config.max_list + config.max_data + 2, "DELIVERED_WORDS": config.max_data + 1}
    sizes = {key.upper(): value for key, value in config.to_json().items()}
    words = {key: value for key, value in sizes.items() if isinstance(value, str)}
    values |= {key: int(value) for key, value in sizes.items() if key not in words}
    values["COUNTER_BITS"] = config.counters
    values |= {f"REASON_{reason.name}": reason.value for reason in Reason}
    for entry in register_map(config):
        argument = "(3)" if entry.index else ""
        values[f"{entry.name}_WORD{argument}"] = entry.address + 3 * bool(entry.index)
        values[f"{entry.name}_OFFSET{argument}"] = 4 * entry.address + 12 * bool(entry.index)
        values[f"{entry.name}_RESET"] = entry.reset
        if entry.index:
            values[f"{entry.name}_COUNT"] = entry.count
        for field in entry.fields:
            values[f"{entry.name}_{field.name}_MASK"] = sum(1 << field.low + bit for bit in range(field.width))
            values[f"{entry.name}_{field.name}_SHIFT"] = field.low
    header = c_header(config)
    defined = re.findall(r"^#define CUBECAST_(\w+)", header, re.MULTILINE)
    assert sorted(defined) == sorted([name.removesuffix("(3)") for name in values] + [*words, "REGS_H"])
    for name, word in words.items():
        assert f'#define CUBECAST_{name} "{word}"\n' in header
    assert max(map(len, header.splitlines())) <= 120
    (tmp_path / "cubecast_regs.h").write_text(header)
    (tmp_path / "user.c").write_text(USER.replace("SHOWN", ", ".join(f"CUBECAST_{name}" for name in values)))
    strict = ["-Wall", "-Wextra", "-pedantic", "-Werror"]
    done = subprocess.run([*compiler, *strict, "user.c", "-o", "user"], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    printed = subprocess.run([tmp_path / "user"], capture_output=True, text=True, check=True).stdout.split()
    assert dict(zip(values, map(int, printed), strict=True)) == values


def test_two_headers_in_one_c_file(tmp_path):
    """With names of their own both are there; with one name for two routers, the compiler says so."""
    for name, dim, folder in (("left", 2, "a"), ("right", 3, "b"), ("left", 3, "b")):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / f"{name}_regs.h").write_text(c_header(Config(dim=dim), name))
    both = (
        '#include "a/left_regs.h"\n#include "b/right_regs.h"\nint sizes[LEFT_NODES + 2 == RIGHT_NODES - 2 ? 1 : -1];\n'
    )
    for text, status, said in ((both, 0, ""), (both + '#include "b/left_regs.h"\n', 1, "two different headers define")):
        (tmp_path / "user.c").write_text(text)
        command = ["g++", "-x", "c", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-c", "user.c"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (done.returncode, said in done.stderr) == (status, True)
        assert bool(done.stderr) == bool(said)
