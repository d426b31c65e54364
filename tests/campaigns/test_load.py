"""The network under load: its figures hang together, are what theory says, and are those in the docs."""

import json
import re
from pathlib import Path

import pytest

from cubecast.golden.packet.algorithms.routing import collision_rate
from cubecast.golden.packet.contract.config import ROUTINGS, PacketConfig
from cubecast.tb.campaigns.curves import __main__ as curves_command
from cubecast.tb.campaigns.load import __main__ as load_command
from cubecast.tb.campaigns.load.plots import draw
from cubecast.tb.campaigns.load.run import Load, LostError, collisions, points, rate_of
from cubecast.tb.campaigns.load.series import COLLISIONS, PLAN
from cubecast.tb.campaigns.load.tables import written
from cubecast.tb.harness.verilog import verilog_of

DOCS = Path(__file__).resolve().parents[2] / "docs"
SMALL = PacketConfig(dim=2)

main, curves = load_command.main, curves_command.main


@pytest.mark.cosim
def test_load(capsys):
    """A light load arrives as it was offered; too large a one fills the queues, and what is accepted is less."""
    assert main(["--dim", "2", "--quick", "--clocks", "40000", "--offered", "0.2,3"]) == 0
    light, heavy = map(json.loads, capsys.readouterr().out.splitlines())
    assert light["offered"] == pytest.approx(0.2, rel=0.2) and light["lost"] == 0
    assert light["accepted"] == pytest.approx(light["offered"], rel=0.02)
    # 16 words, a distance of 4/3, and what the units take.
    assert 30 < light["first"] == light["message"] < 50
    assert light["utilisation"] == pytest.approx(light["accepted"] * 4 / 3 / 2, rel=0.1)
    assert heavy["offered"] > 2 and heavy["lost"] > 0.3 and heavy["collisions"] > 0.9
    assert 0.8 < heavy["accepted"] <= 1 and heavy["message"] > 10 * light["message"]


@pytest.mark.cosim
@pytest.mark.parametrize("routing", [pytest.param(ROUTINGS[0], marks=pytest.mark.soak), ROUTINGS[1]])
def test_collisions(routing):
    """Pairs of messages at a source take the same link as often as enumeration says."""
    config = PacketConfig(dim=2, routing=routing)
    raw = collisions(config, Load(packets=2, words=3), 3000, speed="build")
    assert raw["pairs"] >= 3000
    assert raw["collisions"] / raw["pairs"] == pytest.approx(float(collision_rate(2, routing)), abs=0.03)


@pytest.mark.cosim
@pytest.mark.soak
def test_lost_messages_are_noticed_soak():
    """A sink that counts nothing."""
    verilog = verilog_of("cubecast.rtl.packet.load_network:LoadNetwork", SMALL)
    verilog, count = re.subn(r"assign counted = [^;]*;", "assign counted = 0;", verilog)
    assert count == 1
    with pytest.raises(LostError, match=r"of \d+ messages 0 arrived"):
        list(points(SMALL, Load(cycles=1000), [500], verilog=verilog, speed="build"))


@pytest.mark.parametrize("offered", [0.05, 0.3, 0.9])
def test_rate(offered):
    """A burst begins so often that the nodes generate what is asked for."""
    load = Load(packets=2, burst=3)
    rate = rate_of(SMALL, load, offered)
    period = 65536 / rate + load.burst * 4 / 3
    assert load.burst * load.message_words / period == pytest.approx(offered, rel=0.01)
    assert rate_of(SMALL, load, 100) == 65535 and rate_of(SMALL, load, 1e-9) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--words", "2"], "words must be an integer from 3 to 63, not 2"),
        (["--words", "64"], "max_words must be an integer from 1 to 63, not 64"),
        (["--dim", "11"], "dim must be an integer from 2 to 10, not 11"),
        (["--packets", "0"], "packets must be an integer from 1 to 255, not 0"),
        (["--burst", "256"], "burst must be an integer from 1 to 255, not 256"),
        (["--clocks", "-5"], "cycles must be an integer from 100 to 100000000, not -5"),
        (["--offered", "0.1,x"], "--offered must be numbers above 0, with commas between, not '0.1,x'"),
        (["--offered", "0"], "--offered must be numbers above 0, with commas between, not '0'"),
        (["--only", "rows"], "--only must come with --out"),
        (["--out", "/dev/null"], "--out must be a folder, not '/dev/null'"),
    ],
)
def test_bad_usage(arguments, message, capsys):
    """One line, status 2."""
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1


def test_unknown_series(tmp_path, capsys):
    """It says which there are."""
    assert main(["--out", str(tmp_path), "--only", "row"]) == 2
    assert "16-packets-serial, rows, packet-length, collisions, not 'row'" in capsys.readouterr().err


@pytest.mark.parametrize(("command", "file"), [(main, "packet_load.jsonl"), (curves, "load.jsonl")])
@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{", r"a JSON object, not '\{'"),
        ("[]", r"a JSON object, not '\[\]'"),
        ('{"series": "x"}', r"""a point .*, not '\{"series": "x"\}'"""),
        ('{"rate": 1, "rate": 2}', "JSON that can be read: 'rate' is there twice in one object"),
    ],
)
def test_data_that_is_none(tmp_path, capsys, command, file, line, told):
    """One line that names the file and the line, before anything is measured; the file stays as it is."""
    text = f"{(DOCS / file).read_text().splitlines()[0]}\n{line}\n"
    (tmp_path / file).write_text(text)
    more = ["--first", "0"] if command is curves else ["--only", COLLISIONS]
    assert command(["--out", str(tmp_path), *more]) == 2
    error = capsys.readouterr().err
    assert re.fullmatch(f".*: figures '{tmp_path / file}', line 2, must be {told}\n", error)
    assert (tmp_path / file).read_text() == text


@pytest.mark.parametrize("module", [load_command, curves_command])
def test_a_tree_with_changes_is_refused(tmp_path, monkeypatch, capsys, module):
    """Others would not have what was measured; nothing is, and no file is written."""
    monkeypatch.setattr(module, "revision", lambda: "abc+")
    assert module.main(["--out", str(tmp_path)]) == 2
    assert "--out must be asked for in a tree without changes, not at abc+\n" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("dirty", [False, True])
def test_points_say_the_revision_at_which_they_were_begun(tmp_path, monkeypatch, capsys, dirty):
    """In the file, and as they are told, one after the other."""
    monkeypatch.setattr(curves_command, "revision", lambda: "abc+" if dirty else "abc")
    known = [json.loads(line) for line in (DOCS / "load.jsonl").read_text().splitlines()]
    monkeypatch.setattr(curves_command, "_measured", lambda planned: dict(known[curves_command.PLAN.index(planned)]))
    (tmp_path / "load.jsonl").write_text("".join(json.dumps(line) + "\n" for line in known[2:]))
    assert curves(["--out", str(tmp_path), *["--dirty"] * dirty]) == 0
    told = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert told == [line | {"revision": "abc+" if dirty else "abc"} for line in known[:2]]
    assert [json.loads(line) for line in (tmp_path / "load.jsonl").read_text().splitlines()] == told + known[2:]


def documented():
    """Return the data in the docs."""
    return [json.loads(line) for line in (DOCS / "packet_load.jsonl").read_text().splitlines()]


def test_the_docs_have_every_series():
    """All points of all series, as planned."""
    lines = documented()
    assert {line["series"] for line in lines} == {*PLAN, COLLISIONS}
    for name, planned in PLAN.items():
        points_of = [line for line in lines if line["series"] == name]
        assert len(points_of) == sum(len(series.offered) for series in planned)
        for series in planned:
            match = {"rows": series.config.rows, "link": series.config.link, "routing": series.config.routing}
            assert any(match.items() <= line.items() for line in points_of)


def test_the_plots_are_those_of_the_data():
    """Drawn anew they are the same to the byte."""
    drawn = draw(documented())
    assert drawn.keys() == {path.name for path in (DOCS / "packet_load").iterdir()}
    for name, content in drawn.items():
        assert content == (DOCS / "packet_load" / name).read_bytes(), name


def test_the_tables_are_those_of_the_data():
    """Written anew the page is the same."""
    page = (DOCS / "packet_load.md").read_text()
    assert written(documented(), page) == page
    with pytest.raises(ValueError, match="page must have <!-- rows begin --> and <!-- rows end --> once"):
        written(documented(), page.replace("<!-- rows end -->", ""))


def test_collisions_in_the_docs_are_as_exact_as_pairs_allow():
    """Within four standard deviations of enumeration, and far from what the other routing does."""
    lines = [line for line in documented() if line["series"] == COLLISIONS]
    assert len(lines) == 10
    for line in lines:
        exact = float(collision_rate(line["dim"], line["routing"]))
        assert line["exact"] == pytest.approx(exact, abs=1e-5)
        assert abs(line["measured"] - exact) < 4 * (exact * (1 - exact) / line["pairs"]) ** 0.5, line
