"""The fast MHU, router and network of the golden model equal their units' twins, wired as docs/units.md has it."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

import pytest

from cubecast.golden.common.twins.control_port import ControlPort
from cubecast.golden.common.twins.ports import join, split
from cubecast.golden.common.twins.report_collector import ReportCollector
from cubecast.golden.common.twins.report_queue import ReportQueue
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.contract.message import encode
from cubecast.golden.multicast.twins.broadcaster_fault_free import BroadcasterFaultFree
from cubecast.golden.multicast.twins.broadcaster_fault_tolerant import BroadcasterFaultTolerant
from cubecast.golden.multicast.twins.channel import Channel
from cubecast.golden.multicast.twins.controller import Controller
from cubecast.golden.multicast.twins.data_buffer import DataBuffer
from cubecast.golden.multicast.twins.eligibility import Eligibility
from cubecast.golden.multicast.twins.input_module import InputModule
from cubecast.golden.multicast.twins.input_port import InputPort
from cubecast.golden.multicast.twins.matching_checker import MatchingChecker
from cubecast.golden.multicast.twins.mhu import Mhu
from cubecast.golden.multicast.twins.multicaster import Multicaster
from cubecast.golden.multicast.twins.network import Network
from cubecast.golden.multicast.twins.output_gateway import OutputGateway
from cubecast.golden.multicast.twins.output_module import OutputModule
from cubecast.golden.multicast.twins.reporter import Reporter
from cubecast.golden.multicast.twins.router import Router
from cubecast.golden.multicast.twins.store import Store
from cubecast.golden.multicast.twins.type_checker import TypeChecker

INPUT = 1
FIELDS = ("valid", "data", "last", "error")


def peek(unit: Any, inputs: Mapping[str, int]) -> dict[str, int]:
    """Return the outputs of a cycle without taking its edge; what is not compared reads 0."""
    twin = copy.deepcopy(unit, {id(unit.config): unit.config})
    return {name: value or 0 for name, value in twin.step(inputs).items()}


class WiredMhu:
    """A message handling unit made of its units' twins, with nothing but their ports."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.input_port, self.type_checker = InputPort(config), TypeChecker(config)
        self.matching, self.store, self.buffer = MatchingChecker(config), Store(config), DataBuffer(config)
        self.eligibility, self.multicaster = Eligibility(config), Multicaster(config)
        self.free_format, self.tolerant = BroadcasterFaultFree(config), BroadcasterFaultTolerant(config)
        self.controller, self.inputs = Controller(config), InputModule(config)
        self.output, self.reporter = OutputModule(config), Reporter(config)
        self.kept = self.fault_before = self.touched = 0

    def step(self, pins: Mapping[str, int]) -> dict[str, int | None]:
        """Return this cycle's outputs and take the edge."""
        config, n, rst = self.config, self.config.dim, {"rst": pins.get("rst", 0)}
        address = {"address": pins["address"]}
        controller, inputs, store = peek(self.controller, {}), peek(self.inputs, {}), peek(self.store, {})
        match = peek(self.matching, {})["match"]
        output = peek(self.output, {})
        idle, scan = output["idle"], peek(self.reporter, {})["pointer"]
        pointers = {f"pointer__{j}": output[f"pointer__{j}"] for j in range(config.ports)}
        if idle:
            pointers[f"pointer__{n}"] = scan
        words = {name: value for name, value in peek(self.buffer, pointers).items() if name.startswith("word")}

        ready = int(controller["accept"] and not pins["cut"])
        closing = int(pins["cut"] and controller["accept"] and controller["state"] != 0)
        taken = int(pins["i__valid"] and ready) | closing
        word = {"word": pins["i__data"], "last": pins["i__last"], "error": pins["i__error"]}
        if closing:
            word = {"word": 0, "last": 1, "error": 1}
        port = self.input_port.step({**word, **address})
        kind = self.type_checker.step({"k": port["field"]})
        to_inputs = {
            "state": controller["state"],
            "discard": controller["discard"],
            "taken": taken,
            **word,
            "cut": closing,
        }
        to_inputs |= {"field": port["field"], "high": port["high"], **kind}
        strobes = peek(self.inputs, to_inputs)
        good_end = strobes["header_end"] and not strobes["bad"]

        fault, blocked = pins["fault"], pins["fault"] | pins["no_lane"]
        votes = store["a"]
        if config.policy == "ordered":
            votes = self.eligibility.step({"a": votes, "fault": blocked, **address})["votes"]
        choice = self.multicaster.step({"a": votes, "fault": blocked, **rst})
        terminate = int(not any(row & ~blocked for row in split(store["a"], n, config.max_dest)))
        to_controller = {"taken": taken, "last": word["last"], "multicast": inputs["is_multicast"]}
        to_controller |= {name: strobes[name] for name in ("bad", "truncated", "header_end")}
        to_controller |= {"terminate": terminate, "copies": output["copies"]}
        if config.decision_latency > 1:
            stale = choice["terminate"] or self.touched or fault != self.fault_before
            to_controller["chosen"] = int(not stale)
        to_controller["changed"] = int(config.policy == "ordered" and fault != self.fault_before)
        decide = peek(self.controller, to_controller)["decide"]

        own_row = port["field"] if config.fault_tolerant else port["relative"]
        control = own_row if good_end and not config.source_field else store["source"]
        if not config.fault_tolerant:
            control = self.free_format.step({"source": control, **address})["send"]
        spread = self.tolerant.step({"control": control, "fault": blocked, **address})
        later = self.tolerant.step({"control": store["source"], "fault": self.kept, **address})

        pushed = {name: strobes[f"push_{name}"] for name in ("data", "last", "error")}
        to_buffer = {"clear": strobes["clear"], "push": strobes["push"], **pushed}
        launch = local = 0
        if decide:
            launch = choice["y"]
        elif good_end and not inputs["is_multicast"]:
            launch = spread["send"]
        if good_end:
            local = int(not pins["inject"]) if inputs["is_broadcast"] else match
        to_output = {
            "launch": launch,
            "launch_rows": choice["r"],
            "launch_k": choice["k"] if inputs["is_multicast"] else inputs["k"],
            "launch_local": local,
            "skip": inputs["k"] if inputs["is_listed"] else 0,
            "multicast": inputs["is_multicast"],
            "listed": inputs["is_listed"],
            "rows": store["rows"],
            "control": store["source"],
            "controls": later["controls"],
            "closed": inputs["closed"],
            "closed_error": inputs["closed_error"],
            "level_ahead": peek(self.buffer, to_buffer)["level_ahead"],
            "cut": fault,
            **address,
            **words,
        }
        to_output |= {name: pins[name] for name in pins if name.startswith("o__")}
        streams = self.output.step({**to_output, **rst})

        to_reporter = {name: strobes[name] for name in ("clear", "bad", "truncated", "reason", "header_end")}
        to_reporter |= {
            "state": controller["state"],
            "multicast": inputs["is_multicast"],
            "listed": inputs["is_listed"],
            "broadcast": inputs["is_broadcast"],
            "terminate": terminate,
            "a": store["a"],
            "control": control,
            "lost": streams["lost"],
            "broken": streams["broken"],
            "committed": streams["committed"],
            "source": store["source"],
            "kept": self.kept,
            "controls": later["controls"],
            "fault": fault,
            "no_lane": pins["no_lane"],
            "copies_idle": idle,
            "k": inputs["k"],
            "list_word": words[f"word__{n}__data"] & (1 << n) - 1,
            "o__ready": pins["report__ready"],
            **address,
        }
        report = self.reporter.step({**to_reporter, **rst})
        to_controller["restored"] = int(streams["restore_rows"] != 0)
        to_controller["idle"] = int(idle and report["idle"])
        self.controller.step({**to_controller, **rst})
        self.inputs.step({**to_inputs, **rst})
        to_store = {name: strobes[name] for name in ("clear", "write", "row")}
        to_store["value"] = own_row if strobes["row"] == 0 else port["relative"]
        to_store["reset_rows"] = (choice["r"] if decide else 0) | report["reset_rows"]
        to_store["restore_rows"] = streams["restore_rows"]
        self.store.step({**to_store, **rst})
        to_matching = {"clear": strobes["clear"], "check": strobes["check"], "relative": port["relative"]}
        self.matching.step({**to_matching, **rst})
        self.buffer.step({**to_buffer, **rst})
        self.kept = blocked if good_end else self.kept | report["keep"]
        self.fault_before = fault
        self.touched = any((strobes["clear"], strobes["check"], decide, streams["restore_rows"]))
        if rst["rst"]:
            self.kept = self.fault_before = self.touched = 0
        outputs = {
            "free": controller["free"],
            "start": int(taken and controller["state"] == 0),
            "i__ready": ready,
        }
        outputs |= {f"report__{name}": report[f"o__{name}"] for name in ("valid", "reason", "destination")}
        return outputs | {name: value for name, value in streams.items() if name.startswith("o__")}


def messages(random: Random, config: Config) -> Iterator[tuple[list[int], int]]:
    """Yield random messages, good and malformed."""
    while True:
        source = random.randrange(config.nodes)
        most = min(config.max_list + 1, config.nodes - 2)
        k = random.choice((1, random.randint(0, most), random.randint(0, min(most, config.max_dest)), config.nodes))
        destinations = None if k == config.nodes else [random.randrange(config.nodes) for _ in range(k)]
        payload = [random.getrandbits(config.width) for _ in range(random.randint(0, config.max_data + 1))]
        words = encode(config, source, destinations, payload)
        tail = len(words) - len(payload) - 1 - int(config.source_field)
        if config.fault_tolerant and random.random() < 0.5 and words[tail]:
            words[tail] = random.getrandbits(config.dim)
        trouble = random.random()
        if trouble < 0.1:
            words = words[: random.randint(1, len(words))]
        elif trouble < 0.2 and config.width > config.dim:
            words[random.randrange(len(words))] |= 1 << config.dim
        yield words, random.getrandbits(1)


class Source:
    """The words of random messages, with gaps; a word stays until it is taken."""

    def __init__(self, random: Random, config: Config, gap: float) -> None:
        self.random, self.gap, self.messages = random, gap, messages(random, config)
        self.words: list[tuple[int, int, int]] = []
        self.valid = False

    def drive(self, prefix: str) -> dict[str, int]:
        """Return the values of a stream's ports in this cycle."""
        if not self.words:
            words, error = next(self.messages)
            end = len(words) - 1
            self.words = [(word, int(index == end), error & (index == end)) for index, word in enumerate(words)]
        self.valid = self.valid or self.random.random() >= self.gap
        return dict(zip((f"{prefix}{field}" for field in FIELDS), (int(self.valid), *self.words[0]), strict=True))

    def taken(self) -> None:
        """Go on to the next word."""
        self.words.pop(0)
        self.valid = False


CONFIGS = {
    "n2": Config(dim=2, max_data=3),
    "n3": Config(dim=3, max_dest=3, max_list=5, max_data=4),
    "n3-source-field": Config(dim=3, max_dest=2, max_data=2, source_field=True),
    "n3-fault-free": Config(dim=3, max_dest=3, max_data=2, fault_tolerant=False),
    "n3-empty": Config(dim=3, max_dest=2, max_data=0),
    "n3-empty-source-field": Config(dim=3, max_dest=6, max_data=0, source_field=True),
    "n4": Config(dim=4, max_dest=5, width=4, max_data=2),
    "n3-ordered": Config(dim=3, max_dest=4, max_list=5, max_data=4, policy="ordered"),
    "n3-ordered-fault-free": Config(dim=3, max_dest=3, max_data=2, policy="ordered", fault_tolerant=False, lanes=2),
    "n4-ordered-source-field": Config(dim=4, max_dest=6, max_data=3, policy="ordered", source_field=True),
    "n3-latency2": Config(dim=3, max_dest=4, max_data=3, decision_latency=2),
    "n3-latency2-source-field": Config(dim=3, max_dest=4, max_data=0, source_field=True, decision_latency=2),
    "n4-latency2-ordered": Config(dim=4, max_dest=5, max_list=6, max_data=3, policy="ordered", decision_latency=2),
}


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
def test_mhu_is_its_units(config: Config) -> None:
    """All ports in every cycle, with stalls, gaps, links cut and repaired, malformed messages and resets."""
    random = Random(config.buffer_depth)
    fast, wired = Mhu(config), WiredMhu(config)
    source = Source(random, config, 0.2)
    pins = {"address": 0, "fault": 0, "inject": 0, "no_lane": 0, "cut": 0}
    reasons: set[int | None] = set()
    pace = 0.6
    for cycle in range(3000):
        if cycle % 250 == 0:
            pins |= {"address": random.randrange(config.nodes), "inject": cycle // 250 & 1}
            pins["no_lane"] = random.choice((0, 0, random.getrandbits(config.dim), config.nodes - 1))
            source = Source(random, config, random.choice((0.0, 0.4)))
            pace = random.choice((0.6, 0.1))
        pins["rst"] = int(cycle % 250 == 0)
        if config.fault_tolerant:
            if random.random() < 0.1:
                pins["fault"] = random.getrandbits(config.dim) & random.getrandbits(config.dim)
            pins["cut"] = int(cycle // 250 % 3 > 0 and random.random() < 0.03)
        pins |= source.drive("i__")
        pins |= {f"o__{j}__ready": int(random.random() < pace) for j in range(config.ports)}
        pins["report__ready"] = random.getrandbits(1)
        expected, found = wired.step(pins), fast.step(pins)
        assert found == expected, f"cycle {cycle}: {fast.trace()}"
        reasons.add(found["report__reason"])
        if pins["cut"]:
            # the sender drops what it was sending
            source = Source(random, config, source.gap)
        elif pins["i__valid"] and found["i__ready"]:
            source.taken()
    assert len(reasons) > (6 if config.fault_tolerant else 4), reasons


class WiredRouter:
    """A router made of the twins of its units, with nothing but their ports."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.channels = [Channel(config) for _ in range(config.dim)]
        self.injection = Mhu(config)
        self.gateways = [OutputGateway(config, local=port == config.local) for port in range(config.ports)]
        self.queues = [ReportQueue(config.control) for _ in range(config.units)]
        self.collector, self.control = ReportCollector(config.control), ControlPort(config.control)
        self.events = dict.fromkeys(("message_in", "message_out", "word_out", "waited"), 0)

    def step(self, pins: Mapping[str, int]) -> dict[str, int | None]:
        """Return this cycle's outputs and take the edge."""
        config, n, rst = self.config, self.config.dim, {"rst": pins["rst"]}
        mhus = [mhu for channel in self.channels for mhu in channel.mhus] + [self.injection]
        address, odd, cut = pins["address"], pins["address"].bit_count() & 1, self.control.cut
        for j, channel in enumerate(self.channels):
            channel.strap(address, address >> j & 1)
            channel.links(cut, cut >> j & 1)
        self.injection.strap(address, 0)
        self.injection.links(cut, 0)
        ready: dict[tuple[int, int], int] = {}
        outputs: dict[str, int | None] = {}
        events = dict.fromkeys(self.events, 0)
        for port, gateway in enumerate(self.gateways):
            to_gateway = {"odd": odd, "ready": pins.get(f"link_out__{port}__ready", 0), "advance": 1, **rst}
            to_gateway["turn"] = sum((address >> i & address >> port & 1) << i for i in range(n)) if port < n else 0
            to_gateway["cut"] = cut >> port & 1
            if port == n:
                to_gateway |= {"ready": (1 << config.lanes) - 1, "advance": pins["eject__ready"]}
            for unit, mhu in enumerate(mhus):
                word = mhu.words[port]
                values = (int(word is not None), *(word or (0, 0, 0)))
                to_gateway |= dict(zip((f"i__{unit}__{field}" for field in FIELDS), values, strict=True))
            found = gateway.step(to_gateway)
            for unit in range(len(mhus)):
                ready[unit, port] = found[f"i__{unit}__ready"] or 0
            name = "eject" if port == n else f"link_out__{port}"
            outputs |= {f"{name}__{field}": found[field] for field in FIELDS}
            if port != n:
                outputs[f"{name}__lane"] = found["lane"]
            moves = int(found["valid"] and to_gateway["advance"])
            events["word_out"] |= moves << port
            events["message_out"] |= (moves and found["last"]) << port
            events["waited"] |= found["waited"] << port
        reports: dict[str, int] = dict(rst)
        for unit, queue in enumerate(self.queues):
            values = (int(queue.oldest is not None), *(queue.oldest or (0, 0)))
            names = (f"i__{unit}__{field}" for field in ("valid", "reason", "destination"))
            reports |= dict(zip(names, values, strict=True))
        report = self.collector.step(reports)
        room = []
        for unit, (queue, mhu) in enumerate(zip(self.queues, mhus, strict=True)):
            item, taken = mhu.item, report[f"i__{unit}__ready"] or 0
            put = {"put": item.valid, "reason": item.reason, "destination": item.destination, "o__ready": taken}
            room.append(queue.step({**put, **rst})["room"] or 0)
        outputs |= {f"report__{name}": report[name] for name in ("valid", "reason", "destination", "port", "lane")}

        common = {"address": address, "fault": cut, **rst}
        for j, channel in enumerate(self.channels):
            to_channel = {f"link__{field}": pins[f"link_in__{j}__{field}"] for field in (*FIELDS, "lane")}
            for lane in range(config.lanes):
                unit = j * config.lanes + lane
                to_channel |= {f"o__{lane}__{port}__ready": ready[unit, port] for port in range(config.ports)}
                to_channel[f"report__{lane}__ready"] = room[unit]
            to_channel |= {"cut": cut >> j & 1, "up": address >> j & 1}
            found = channel.step({**common, **to_channel})
            outputs[f"link_in__{j}__ready"] = found["link__ready"]
            events["message_in"] |= (found["start"] or 0) << j
        unit = config.units - 1
        to_injection = {f"i__{field}": pins[f"inject__{field}"] for field in FIELDS}
        to_injection |= {f"o__{port}__ready": ready[unit, port] for port in range(config.ports)}
        to_injection |= {"inject": 1, "report__ready": room[unit]}
        found = self.injection.step({**common, **to_injection})
        outputs["inject__ready"] = found["i__ready"]
        events["message_in"] |= (found["start"] or 0) << n
        to_control = {name: pins[f"control__{name}"] for name in ("address", "write", "write_data")}
        to_control |= {
            f"report_{name}": report[name] or 0 for name in ("valid", "reason", "destination", "port", "lane")
        }
        if config.fault_tolerant:
            to_control["down"] = sum(pins[f"link_in__{j}__down"] << j for j in range(n))
        found = self.control.step({**to_control, **self.events, **rst})
        self.events = dict.fromkeys(events, 0) if pins["rst"] else events
        if config.fault_tolerant:
            outputs |= {f"link_out__{j}__down": (found["fault"] or 0) >> j & 1 for j in range(n)}
        outputs |= {"control__read_data": found["read_data"], "multiple_faults": found["multiple_faults"]}
        return outputs


ROUTERS = {
    "n2": Config(dim=2, max_data=3),
    "n3": Config(dim=3, max_dest=3, max_list=5, max_data=3, log_depth=2),
    "n3-one-lane": Config(dim=3, max_dest=2, max_data=2, lanes=1),
    "n3-fault-free": Config(dim=3, max_dest=3, max_data=2, fault_tolerant=False),
    "n4-source-field": Config(dim=4, max_dest=3, max_data=2, source_field=True),
    "n3-ordered": Config(dim=3, max_dest=4, max_list=5, max_data=3, policy="ordered"),
    "n3-ordered-fault-free": Config(dim=3, max_dest=3, max_data=2, policy="ordered", fault_tolerant=False),
    "n4-ordered-one-lane": Config(dim=4, max_dest=4, max_data=2, policy="ordered", lanes=1),
}


def control_pins(random: Random, config: Config) -> tuple[int, int, int]:
    """Return address, write and data of a random access to a control port."""
    choices = (0, 1, 2, 3, 4, 0x10 + random.randrange(10), random.randrange(2, 6) << 4 | random.randrange(config.ports))
    address = random.choice((*choices, random.randrange(128)))
    return (
        address,
        int(random.random() < 0.05),
        random.getrandbits(32) & random.getrandbits(32) & random.getrandbits(32),
    )


@pytest.mark.parametrize("config", ROUTERS.values(), ids=ROUTERS)
def test_router_is_its_units(config: Config) -> None:
    """All ports in every cycle: several messages on every link, lanes and links that come and go, accesses, resets."""
    random = Random(9)
    fast, wired = Router(config), WiredRouter(config)
    kept = (1 << config.lanes) - 1
    for cycle in range(1800):
        if cycle % 300 == 0:
            address = random.randrange(config.nodes)
            sources = [Source(random, config, random.choice((0.0, 0.5))) for _ in range(config.ports)]
            lanes: list[int | None] = [None] * config.dim
        pins = {"address": address, "rst": int(cycle % 300 == 0), "eject__ready": int(random.random() < 0.7)}
        names = ("control__address", "control__write", "control__write_data")
        pins |= dict(zip(names, control_pins(random, config), strict=True))
        for j in range(config.dim):
            pins[f"link_out__{j}__ready"] = random.getrandbits(config.lanes) | (kept if cycle % 3 else 0)
            if config.fault_tolerant:
                pins[f"link_in__{j}__down"] = int(random.random() < 0.02)
            cut = wired.control.cut >> j & 1
            if cut:
                # the sender drops what it was sending
                sources[j], lanes[j] = Source(random, config, sources[j].gap), None
            words = sources[j].drive(f"link_in__{j}__")
            free = 0 if cut else wired.channels[j].ready
            if lanes[j] is None and free and words[f"link_in__{j}__valid"]:
                lanes[j] = random.choice([lane for lane in range(config.lanes) if free >> lane & 1])
            # what a cut link brings is not looked at
            words[f"link_in__{j}__valid"] &= int(cut or lanes[j] is not None)
            words[f"link_in__{j}__lane"] = lanes[j] or 0
            pins |= words
        pins |= sources[-1].drive("inject__")
        cuts = wired.control.cut
        expected, found = wired.step(pins), fast.step(pins)
        assert found == expected, f"cycle {cycle}: {fast.trace()}"
        for j in range(config.dim):
            if pins[f"link_in__{j}__valid"] and not cuts >> j & 1:
                if sources[j].words[0][1]:
                    lanes[j] = None
                sources[j].taken()
        if pins["inject__valid"] and found["inject__ready"]:
            sources[-1].taken()


@pytest.mark.parametrize("name", ["n2", "n3", "n3-fault-free", "n3-ordered"])
def test_network_is_its_routers(name: str) -> None:
    """All ports and all links in every cycle, with faults written and resets."""
    config = ROUTERS[name]
    random, nodes = Random(4), range(config.nodes)
    network, routers = Network(config, probe=True), [Router(config) for _ in nodes]
    for cycle in range(900):
        rst = int(cycle % 300 == 299)
        if cycle % 300 == 0:
            sources = [Source(random, config, random.choice((0.0, 0.8))) for _ in nodes]
        accesses = [control_pins(random, config) for _ in nodes]
        words = [source.drive("inject__") for source in sources]
        eject = random.getrandbits(config.nodes) | random.getrandbits(config.nodes)
        pins = {"rst": rst, "eject_ready": eject}
        pins |= {f"inject_{field}": join((word[f"inject__{field}"] for word in words), 1) for field in FIELDS}
        pins["inject_data"] = join((word["inject__data"] for word in words), config.width)
        for name, width, values in zip(
            ("control_address", "control_write", "control_write_data"),
            (7, 1, 32),
            zip(*accesses, strict=True),
            strict=True,
        ):
            pins[name] = join(values, width)

        ready = [[routers[node ^ 1 << j].channels[j].ready for j in range(config.dim)] for node in nodes]
        faults = [router.control.fault for router in routers]
        links: list[dict[str, int]] = [{} for _ in nodes]
        for node in nodes:
            routers[node].offer(ready[node], eject >> node & 1)
            for j in range(config.dim):
                sent = routers[node].sent[j]
                values = (1, *sent[0], sent[1]) if sent else (0,) * 5
                names = (f"link_in__{j}__{field}" for field in (*FIELDS, "lane"))
                links[node ^ 1 << j] |= dict(zip(names, values, strict=True))
        expected: dict[str, int] = {}

        def pack(name: str, width: int, node: int, value: int | None, expected: dict[str, int] = expected) -> None:
            expected[name] = expected.get(name, 0) | (value or 0) << width * node

        for node in nodes:
            own = {"address": node, "rst": rst, "eject__ready": eject >> node & 1, **words[node], **links[node]}
            own |= dict(zip(("control__address", "control__write", "control__write_data"), accesses[node], strict=True))
            own |= {f"link_out__{j}__ready": ready[node][j] for j in range(config.dim)}
            if config.fault_tolerant:
                own |= {f"link_in__{j}__down": faults[node ^ 1 << j] >> j & 1 for j in range(config.dim)}
            found = routers[node].step(own)
            if rst:
                routers[node].strap(node)
            pack("inject_ready", 1, node, found["inject__ready"])
            pack("control_read_data", 32, node, found["control__read_data"])
            pack("multiple_faults", 1, node, found["multiple_faults"])
            widths = {"valid": 1, "reason": 4, "destination": config.dim, "port": 4, "lane": 4}
            for field, width in widths.items():
                pack(f"report_{field}", width, node, found[f"report__{field}"])
            widths = {"valid": 1, "data": config.width, "last": 1, "error": 1, "lane": config.lane_bits}
            for field, width in widths.items():
                for j in range(config.dim):
                    pack(f"link_{j}_{field}", width, node, found[f"link_out__{j}__{field}"])
                if field != "lane":
                    pack(f"eject_{field}", width, node, found[f"eject__{field}"])
            for j in range(config.dim):
                pack(f"link_{j}_ready", config.lanes, node, ready[node][j])
                if config.fault_tolerant:
                    pack(f"link_{j}_down", 1, node, found[f"link_out__{j}__down"])
        assert network.step(pins) == expected, f"{network.trace()}"
        for node in nodes:
            if words[node]["inject__valid"] and expected["inject_ready"] >> node & 1:
                sources[node].taken()
