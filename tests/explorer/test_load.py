"""Recordings of networks under load: they tell what the routers count, and what the point says."""

import dataclasses
import json
from collections import Counter

import pytest

from cubecast.api.loading import loaded, window_of
from cubecast.cli import explore_load, main
from cubecast.golden.common.algorithms.load import Lists, Traffic
from cubecast.golden.common.contract.control import Register
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.tb.campaigns.curves.run import point
from cubecast.tb.campaigns.curves.watched import Tap, recorded
from tests.explorer.test_recording import entries, times

ROUTERS = {
    "crosspoint": (CrosspointConfig(dim=3, packet_limit=3), "e-cube"),
    "packet": (PacketConfig(dim=3, max_words=4), ""),
    "multicast": (Config(dim=3, max_data=3), ""),
}


@pytest.mark.parametrize("system", ROUTERS)
def test_a_load_is_recorded_as_it_is_measured(system):
    """Figures do not change; words, packets and waits of links are the registers'; every message comes where it is for,
    as many words as the point says."""
    config, policy = ROUTERS[system]
    config = loaded(config)
    lists = Lists(share=0.2, members=2)
    traffic = Traffic(dim=3, length=1, spread=7, lists=lists, broadcast=0.1, policy=policy)
    window = dataclasses.asdict(window_of(200, 0))
    arguments = {
        "system": system,
        "config": dataclasses.asdict(config),
        "traffic": dataclasses.asdict(traffic),
        "window": window,
    }
    plain = point(3, **arguments, engine="golden", offered=0.6)
    tap = Tap(system, config)
    watched = point(3, **arguments, engine="golden", offered=0.6, attach=tap.attach)
    assert watched == plain | {"seconds": watched["seconds"]}
    header, events = recorded(tap)
    counted = Counter()
    for link in header["links"]:
        port = (link["from"] ^ link["to"]).bit_length() - 1
        for row, name in (
            (Register.MESSAGES_OUT, "messages"),
            (Register.WORDS_OUT, "words"),
            (Register.WAITED, "waited"),
        ):
            assert tap.routers[link["from"]].control.registers[int(row) + port] == link[name], (link, name)
            counted[name] += link[name]
    assert all(counted.values())
    assert {(d["message"], d["node"]) for d in header["deliveries"]} == {
        (message["message"], node) for message in header["messages"] for node in message["destinations"]
    }
    # Of up to 7 words, 3 in a packet, or 2 behind the bitmap of a list.
    packets = Counter((message, node) for _, node, message, *_ in entries(events, "eject"))
    assert {*packets.values()} == {1, 2, 3, *([4] if system == "crosspoint" else [])}
    sizes = Counter(len(message["destinations"]) for message in header["messages"])
    assert {*sizes} >= ({1, 7} if system == "packet" else {1, 2, 7})
    first, last = plain["warmup"], plain["warmup"] + 200
    ejected = sum(
        first <= at < last for cycle, _, _, sent, *more in entries(events, "eject") for at in times(cycle, sent, *more)
    )
    assert ejected / 200 / 8 == pytest.approx(plain["flits"]["delivered"], abs=0.01)
    backlog = [values for _, _, unit, values in entries(events, "units") if unit == len(header["units"]) - 1]
    assert max(backlog) > [1] and [] in backlog


def test_a_run_that_differs_is_said_to(capsys, tmp_path):
    """If the golden network has other figures than the engine, the recording says mismatch."""
    what = "--router crosspoint --dim 2 --cycles 100 --rates 0.2 --engine golden --jobs 1 --json"
    arguments = ["load", *what.split()]
    assert main([*arguments, "--explore", str(tmp_path / "a")]) == 0
    result = json.loads(capsys.readouterr().out)
    judged = []
    for engine, more in (("golden", 0), ("rtl", 0), ("rtl", 1)):
        found = {**result["points"][0], "messages": result["points"][0]["messages"] + more}
        given = {"parameters": {**result["parameters"], "engine": engine}, "points": [found]}
        explore_load.explore_load(tmp_path / "b", loaded(CrosspointConfig(dim=2)), given, 0.2)
        judged.append(json.loads((tmp_path / "b" / "recording.jsonl").read_text().splitlines()[0])["golden"])
    assert judged == ["model", "match", "mismatch"]
    assert main(["explore", str(tmp_path / "a" / "recording.jsonl"), "-o", str(tmp_path / "c")]) == 0
    assert (tmp_path / "c" / "index.html").read_bytes() == (tmp_path / "a" / "index.html").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("--router crosspoint", "rates must be one offered load with --explore, not 7"),
        ("--router crosspoint --rates 0.5 --reduce 4:100", "reduce must not be given with --explore"),
        ("--router packet --link serial --saturation", "link must be parallel, not 'serial' (with --explore)"),
        (
            "--router crosspoint --saturation --cycles 200000",
            "cycles in which messages arrive must be at most 160000 with --explore, not 350000",
        ),
    ],
)
def test_a_load_that_cannot_be_recorded_is_refused(capsys, tmp_path, arguments, told):
    """In one line, before anything is run; nothing is written."""
    assert main(["load", "--dim", "2", *arguments.split(), "--explore", str(tmp_path / "out")]) == 2
    assert capsys.readouterr() == ("", f"cubecast load: {told}\n")
    assert not (tmp_path / "out").exists()
