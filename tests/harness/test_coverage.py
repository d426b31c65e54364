"""Coverage: Verilator's counters come back to the right lines of Python, and every hole needs its explanation."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from cubecast.golden.common.contract.units import Requests
from cubecast.golden.multicast.contract.config import Config
from cubecast.options.usage import UsageError
from cubecast.tb.harness.bench import load
from cubecast.tb.harness.constants import constants_of
from cubecast.tb.harness.coverage import Waiver, aimed, holes_of, keep, known, main, merge, share, stale, waivers_of
from cubecast.tb.harness.lockstep import Report, lockstep
from cubecast.tb.harness.points import Point, counts_of, points_of
from cubecast.tb.harness.verilog import verilog_of

PYTHON = """\
class Unit:
    with m.If(a):
        b
    with m.Elif(c):
        d
    with m.Else():
        e
    for i in range(2):
        with m.If(f[i]):
            g
    h = Mux(i, j, k)
    with m.Switch(s):
        with m.Case(0):
            l
        with m.Default():
            n
    row = Signal(3)
"""

VERILOG = """\
(* src = "/x/rtl/unit.py:1" *)
module top(a);
  reg at_start = 0;
  (* src = "/x/lib/wiring.py:9" *)
  input a;
  wire a;
  (* src = "/x/rtl/other.py:1" *)
  wire inner__b;
  (* src = "/x/rtl/unit.py:17" *)
  reg [2:0] row = 3'h0;
  assign h = i ? (* src = "/x/rtl/unit.py:11" *) j : k;
  always @* begin
    if (at_start) begin end
    (* alternatives = "/x/rtl/unit.py:2#5|/x/rtl/unit.py:4#6|" *)
    if (a) begin
      b = 1'h1;
    end else if (c) begin
    end else begin
      e = 1'h1;
    end
    (* alternatives = "/x/rtl/unit.py:9#7" *)
    if (f0) begin
      g = 1'h1;
    end
    (* alternatives = "/x/rtl/unit.py:9#8" *)
    if (f1) begin
      g = 1'h1;
    end
    (* alternatives = "/x/lib/reset.py:9#9" *)
    if (rst) begin
      g = 1'h0;
    end
  end
  always @* begin
    if (at_start) begin end
    (* alternatives = "/x/rtl/unit.py:2#5|/x/rtl/unit.py:4#6" *)
    if (a) begin
      b = 1'h0;
    end
    (* full_case = 32'd1 *)
    (* alternatives = "/x/rtl/unit.py:13#10|" *)
    casez (s)
      2'h0, 2'h1:
          l = 1'h1;
      default:
          n = 1'h1;
    endcase
  end
endmodule
"""

COUNTS = {
    ("v_toggle", 5, "a:0->1"): 3,
    ("v_toggle", 8, "inner__b:0->1"): 4,
    ("v_toggle", 10, "row[2]:1->0"): 0,
    ("v_branch", 11, "cond_then"): 1,
    ("v_branch", 11, "cond_else"): 0,
    ("v_branch", 13, "if"): 0,
    ("v_line", 15, "elsif"): 7,
    ("v_branch", 17, "if"): 0,
    ("v_branch", 17, "else"): 2,
    ("v_branch", 22, "if"): 0,
    ("v_branch", 22, "else"): 5,
    ("v_branch", 26, "if"): 1,
    ("v_branch", 26, "else"): 0,
    ("v_branch", 30, "if"): 0,
    ("v_line", 34, "block"): 9,
    ("v_branch", 37, "if"): 1,
    # Alternatives in which nothing happens to a signal are not in its text: this says nothing about the others.
    ("v_branch", 37, "else"): 6,
    ("v_line", 43, "case"): 0,
    ("v_line", 45, "case"): 4,
}
"""Verilator's counter to its count; lines are those of VERILOG, counted from 1."""

POINTS = {
    Point("unit", "toggle", 0, "a rises"): 3,
    Point("unit", "toggle", 17, "row[2] falls"): 0,
    Point("unit", "branch", 11, "Mux, 1"): 1,
    Point("unit", "branch", 11, "Mux, 0"): 0,
    Point("unit", "line", 2, ""): 8,
    Point("unit", "branch", 2, "taken"): 8,
    Point("unit", "line", 4, ""): 0,
    Point("unit", "branch", 4, "taken"): 0,
    Point("unit", "line", 6, ""): 2,
    Point("unit", "branch", 6, "taken"): 2,
    Point("unit", "line", 9, ""): 1,
    Point("unit", "branch", 9, "taken, round 1"): 0,
    Point("unit", "branch", 9, "passed over, round 1"): 5,
    Point("unit", "branch", 9, "taken, round 2"): 1,
    Point("unit", "branch", 9, "passed over, round 2"): 0,
    Point("unit", "line", 13, ""): 0,
    Point("unit", "branch", 13, "taken"): 0,
    Point("unit", "line", 15, ""): 4,
    Point("unit", "branch", 15, "taken"): 4,
}

SOURCES = {"unit": PYTHON.splitlines()}


def dat(counts: dict[tuple[str, int, str], int], file: str = "top.v") -> str:
    """Return counters as Verilator writes them."""
    lines = ["# SystemC::Coverage-3"]
    for (page, line, what), count in counts.items():
        fields = {"f": file, "l": line, "n": 1, "page": f"{page}/top", "o": what, "h": "top"}
        key = "".join(f"\x01{name}\x02{value}" for name, value in fields.items())
        lines.append(f"C '{key}' {count}")
    return "\n".join([*lines, ""])


def test_counters_come_back_to_lines_of_python() -> None:
    """All kinds of choices, rounds of a loop, signals of this unit and of others."""
    assert points_of(counts_of(dat(COUNTS)), VERILOG, SOURCES.get) == Counter(POINTS)


def test_the_wrapper_of_a_block_counts_nothing() -> None:
    """Its lines are not those of the text."""
    assert not points_of(counts_of(dat(COUNTS, "Vblock/block.sv")), VERILOG, SOURCES.get)


def test_a_text_that_does_not_fit_its_attributes_is_refused() -> None:
    """More alternatives in the text than in the attribute."""
    with pytest.raises(ValueError, match="alternatives must be as many as the Verilog has"):
        points_of({}, VERILOG.replace("|/x/rtl/unit.py:4#6|", ""), SOURCES.get)


STRAPS = """\
module unit(clk, strap, in, out, held, flips, chosen);
  input clk;
  input [1:0] strap;
  input [1:0] in;
  output [1:0] out;
  output [2:0] held;
  output flips;
  output [2:0] chosen;
  reg [2:0] held = 3'h0;
  reg flips = 1'h0;
  reg [2:0] chosen = 3'h1;
  wire unread;
  assign out = in & strap;
  assign unread = ~in[0];
  always @(posedge clk) held <= { out[1], 1'h0, held[0] };
  always @(posedge clk) flips <= ~flips;
  always @(posedge clk) chosen <= in[0] ? 3'h1 : 3'h3;
endmodule
module top(clk, in, out, held, flips, chosen);
  input clk;
  input [1:0] in;
  output [1:0] out;
  output [2:0] held;
  output flips;
  output [2:0] chosen;
  unit one(.clk(clk), .strap(2'h1), .in(in), .out(out), .held(held), .flips(flips), .chosen(chosen));
endmodule
"""


def test_constants_are_found_through_instances_and_registers() -> None:
    """A strap, what it masks, registers that keep their first value, bits that all choices share.

    No input, nothing that changes or is not read.
    """
    assert constants_of(STRAPS) == {
        "unit": {"strap": {0, 1}, "out": {1}, "held": {0, 1, 2}, "chosen": {0, 2}},
        "top": {"out": {1}, "held": {0, 1, 2}, "chosen": {0, 2}},
    }


def test_a_constant_is_no_point_unless_it_falls() -> None:
    """One that is 1 rises when the simulation begins."""
    points = points_of(counts_of(dat(COUNTS)), VERILOG, SOURCES.get, {"top": {"a": {0}, "row": {2}}})
    assert points == Counter({point: count for point, count in POINTS.items() if point.kind != "toggle"})
    fallen = {("v_toggle", 10, "row[2]:1->0"): 1}
    points = points_of(counts_of(dat(fallen)), VERILOG, SOURCES.get, {"top": {"row": {2}}})
    assert points == {Point("unit", "toggle", 17, "row[2] falls"): 1}


NETWORK = """\
(* src = "/x/rtl/common/cube.py:1" *)
module top(a, b);
  (* src = "/x/lib/wiring.py:9" *)
  input [5:0] a;
  (* src = "/x/lib/wiring.py:9" *)
  input b;
  (* src = "/x/rtl/common/cube.py:2" *)
  wire [5:0] sum;
  (* src = "/x/rtl/common/cube.py:3" *)
  wire kept_1_data;
  node_unit node_0 (
  );
  node_unit node_1 (
  );
endmodule
"""


def test_items_of_a_network_are_one() -> None:
    """Bits of a port that is a packed vector are those of its items; other signals keep their bits."""
    counts = {("v_toggle", 4, "a[5]:0->1"): 1, ("v_toggle", 4, "a[2]:0->1"): 2, ("v_toggle", 6, "b:0->1"): 3}
    counts |= {("v_toggle", 8, "sum[4]:0->1"): 4, ("v_toggle", 10, "kept_1_data:0->1"): 5}
    found = points_of(counts_of(dat(counts)), NETWORK, {"common/cube": [""] * 9}.get)
    assert {point.what: count for point, count in found.items()} == {
        "a[2] rises": 3,
        "b rises": 3,
        "sum[4] rises": 4,
        "kept_data rises": 5,
    }


def test_every_explanation_names_a_test_and_fits_a_hole_of_the_page() -> None:
    """The test is there, and the page was written with this explanation."""
    root = Path(__file__).resolve().parents[2]
    waivers = waivers_of((root / "docs" / "coverage_holes.toml").read_text())
    holes = json.loads((root / "docs" / "coverage.json").read_text())["holes"]
    listed = {(hole["unit"], hole["kind"], hole["why"]) for hole in holes}
    assert len({(waiver.unit, waiver.kind, waiver.what) for waiver in waivers}) == len(waivers) > 10
    for waiver in waivers:
        assert (waiver.unit, waiver.kind, f"{waiver.why} (`{waiver.by}`)") in listed, waiver
        file, _, name = waiver.by.partition("::")
        assert re.search(rf"^def {name}\(", (root / file).read_text(), re.M), waiver.by


def test_the_page_says_that_what_was_aimed_at_is_missed() -> None:
    """In the words of its generator, with the share that stands in its last row."""
    root = Path(__file__).resolve().parents[2]
    reached, of = (
        sum(
            kinds["toggles"][i] for kinds in json.loads((root / "docs" / "coverage.json").read_text())["units"].values()
        )
        for i in (0, 1)
    )
    points = Counter({Point("unit", "toggle", bit, "a"): int(bit < reached) for bit in range(of)})
    page = (root / "docs" / "coverage.md").read_text()
    assert f"\n{aimed(points)}\n" in page
    assert aimed(Counter({Point("unit", "toggle", 1, "a"): 1})).endswith(": reached, with 100 %.")


def toggles_of(what: str) -> set[str]:
    """Return the toggles that the page draws together: of ``a[2:1]``, both ways of ``a[1]`` and ``a[2]``."""
    found = set()
    for name, bits, way in re.findall(r"([\w.#]+(?:, any bit)?)(?:\[([\d:, ]+)\])?(?: (rises|falls))?(?:, |$)", what):
        ends = [[int(end) for end in part.split(":")] for part in bits.split(", ")] if bits else []
        places = [f"[{bit}]" for high, *low in ends for bit in range(min([high, *low]), high + 1)]
        found |= {f"{name}{place} {one}" for place in places or [""] for one in ([way] if way else ["rises", "falls"])}
    return found


def test_what_the_page_draws_together_is_taken_apart() -> None:
    """Ranges of bits, single ones, one direction, wires of which no bit is told from another."""
    assert toggles_of("a#2[3, 1:0] falls, b.c, d, any bit rises") == {
        *(f"a#2[{bit}] falls" for bit in (0, 1, 3)),
        "b.c rises",
        "b.c falls",
        "d, any bit rises",
    }


def test_no_explanation_excuses_what_a_run_reaches() -> None:
    """No sign for any digit, or any name, where a bit or a name stands; and each signal's holes, neither more nor less.

    `.*` at the end is the direction, where both are holes.
    """
    root = Path(__file__).resolve().parents[2]
    waivers = waivers_of((root / "docs" / "coverage_holes.toml").read_text())
    wild = re.compile(r"\\d|\\w|\\S|\\D|\\W|\[\^|\.[*+?{]")
    broad = [waiver.what for waiver in waivers if wild.search(re.sub(r" \.\*(?=$|\|)", "", waiver.what))]
    assert not broad
    holes = json.loads((root / "docs" / "coverage.json").read_text())["holes"]
    holes = [hole for hole in holes if hole["kind"] == "toggle"]
    for hole in holes:
        unit, kind, why = (hole[key] for key in ("unit", "kind", "why"))
        listed = set().union(*(toggles_of(other["what"]) for other in holes if other["unit"] == unit))
        names = {re.sub(r"(\[\d+\])? (rises|falls)$", "", toggle) for toggle in listed}
        places = ["", *(f"[{bit}]" for bit in range(64))]
        every = {f"{name}{place} {way}" for name in names for place in places for way in ("rises", "falls")}
        own = [waiver for waiver in waivers if (waiver.unit, waiver.kind) == (unit, kind)]
        own = [waiver.what for waiver in own if f"{waiver.why} (`{waiver.by}`)" == why]
        excused = {toggle for toggle in every for what in own if re.fullmatch(what, toggle)}
        assert excused == toggles_of(hole["what"]), (unit, why)


@pytest.mark.parametrize(
    "unit",
    [
        "multicast.reporter:Reporter",
        "multicast.input_module:InputModule",
        "common.arbiter:Arbiter",
        "multicast.store:Store",
    ],
)
def test_every_choice_of_a_unit_says_where_it_comes_from(unit: str) -> None:
    """Each has the attribute, with places in rtl/ or Amaranth's own for the reset; the other text is the same."""
    config = Requests(count=5) if unit.startswith("common") else Config(dim=3)
    text = verilog_of(f"cubecast.rtl.{unit}", config, sources=True)
    choices = re.findall(r"^ *(?:if|casez?) \(.*", text, re.M)
    choices = [choice for choice in choices if "at_start" not in choice]
    found = re.findall(r'^ *\(\* alternatives = "(.*)" \*\)\n *(?:if|casez?) \(', text, re.M)
    assert len(found) == len(choices) > 0
    places = {place for entry in found for place in entry.split("|") if place}
    assert all(re.search(r"/(rtl/\w+/\w+|amaranth/hdl/_ir)\.py:\d+#\d+$", place) for place in places)
    assert any("/rtl/" in place for place in places)
    plain = verilog_of(f"cubecast.rtl.{unit}", config)
    assert "src" not in plain
    shape = re.compile(r" *\(\*.*?\*\)|\b\w+\b")
    assert sorted(shape.sub("", text).split()) == sorted(shape.sub("", plain).split())


@pytest.mark.usefixtures("no_constants")
def test_a_run_of_other_sources_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And what it reaches takes the place of what was reached before; one that is not whole is made again, too."""
    monkeypatch.setattr("cubecast.tb.harness.coverage.ROOT", tmp_path)
    runs = kept(tmp_path)
    (changed := tmp_path / "changed" / "tb").mkdir(parents=True)
    (changed / "unit.py").write_text("BENCH = 1\n")
    monkeypatch.setattr("cubecast.tb.harness.coverage.ROOT", changed.parent)
    assert known(runs, [{"command": "a | b"}]) is None
    (tmp_path / "coverage.dat").write_text(dat({}))
    report = {"bench": "unit", "command": "a | b", "cycles": 1, "events": {}}
    keep(runs, tmp_path / "coverage.dat", tmp_path / "top.v", ["unit"], [report])
    assert known(runs, [{"command": "a | b"}]) is not None
    assert merge(runs, SOURCES) == (Counter(), {"unit": {"runs": 1, "cycles": 1, "events": Counter()}})
    (file,) = runs.glob("*.json")
    file.write_text(file.read_text()[:-1])
    assert known(runs, [{"command": "a | b"}]) is None


def test_a_run_is_covered_once_and_a_short_one_covers_less(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same run, asked for on Icarus, is not made again; three cycles of the reset reach almost no line."""
    monkeypatch.setenv("CUBECAST_COVERAGE", str(tmp_path))
    bench = load("controller")
    reached = []
    sources = {
        "multicast/controller": (Path(__file__).parents[2] / "rtl/multicast/controller.py").read_text().splitlines()
    }
    for cycles in (3, 2000):
        first = lockstep(bench, Config(dim=3), cycles=cycles, require_events=False)
        assert first.simulator == "verilator"
        assert lockstep(bench, Config(dim=3), simulator="icarus", cycles=cycles, require_events=False) == first
        points, benches = merge(tmp_path, sources)
        reached.append([share(points, kind) for kind in ("line", "branch", "toggle")])
    assert benches["multicast.controller"]["runs"] == 2
    assert benches["multicast.controller"]["cycles"] == 2003
    assert benches["multicast.controller"]["events"]["wait"] > first.events["wait"] > 100
    assert all(few < of // 2 for few, of in reached[0])
    assert reached[1][0][0] == reached[1][0][1] > 5
    assert [of for _, of in reached[0]] == [of for _, of in reached[1]]


@pytest.mark.soak
def test_hierarchical_blocks_count_as_a_flat_design_does_soak(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Toggles are the same to the count; lines are in force in the same points."""
    monkeypatch.setattr("cubecast.tb.harness.modules.BLOCK_MODULE", 50)
    found = []
    for least in (1, 10**9):
        monkeypatch.setattr("cubecast.tb.harness.builds.BLOCK_DESIGN", least)
        monkeypatch.setenv("CUBECAST_COVERAGE", str(tmp_path / str(least)))
        lockstep(load("output_module"), Config(dim=4), cycles=300, require_events=False)
        points, _ = merge(tmp_path / str(least), {"multicast/output_port": [""] * 1000})
        found.append({point: min(count, 1) if point.kind != "toggle" else count for point, count in points.items()})
    assert sum(count > 1 for count in found[0].values()) > 50
    assert found[0] == found[1]


@pytest.fixture
def no_constants(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let Yosys read none of the texts, which are parts of designs only."""
    monkeypatch.setattr("cubecast.tb.harness.coverage.constants_of_all", lambda texts: [{} for _ in texts])


@pytest.fixture
def at_a_revision(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let what is kept be of one revision."""
    monkeypatch.setattr("cubecast.tb.harness.coverage.revision", lambda: "abc")


def kept(folder: Path) -> Path:
    """Keep a run with the counts above; return its folder."""
    (folder / "top.v").write_text(VERILOG)
    (folder / "coverage.dat").write_text(dat(COUNTS))
    report = Report(
        bench="unit",
        simulator="verilator",
        seed=1,
        events=Counter(full=2),
        cycles=9,
        finished=True,
        seconds=1.0,
        loop_seconds=1.0,
        collected=None,
        command="a | b",
    )
    keep(folder / "runs", folder / "coverage.dat", folder / "top.v", ["unit"], [vars(report)])
    assert known(folder / "runs", [{"command": "another"}]) is None
    again = known(folder / "runs", [{"command": "a | b"}])
    assert again is not None
    assert [Report(**values) for values in again] == [report]
    return folder / "runs"


@pytest.mark.usefixtures("no_constants")
def test_runs_are_added_up(tmp_path: Path) -> None:
    """Those of one text, and those of another one in which the signal has more bits and comes from another line."""
    runs = kept(tmp_path)
    wider = (tmp_path / "wider.v").resolve()
    wider.write_text(VERILOG.replace("input a;", "input [1:0] a;").replace("/x/lib/wiring.py:9", "/x/rtl/unit.py:1"))
    (tmp_path / "coverage.dat").write_text(dat({("v_toggle", 5, "a[0]:0->1"): 4, ("v_toggle", 5, "a[1]:0->1"): 0}))
    report = {"bench": "unit", "command": "c", "cycles": 1, "events": {"full": 1, "empty": 1}}
    keep(runs, tmp_path / "coverage.dat", wider, ["unit"], [report])
    points, benches = merge(runs, SOURCES)
    toggles = {point: count for point, count in points.items() if point.kind == "toggle" and point.what[0] == "a"}
    assert toggles == {Point("unit", "toggle", 1, "a[0] rises"): 7, Point("unit", "toggle", 1, "a[1] rises"): 0}
    assert points[Point("unit", "line", 2, "")] == 8
    assert benches == {"unit": {"runs": 2, "cycles": 10, "events": Counter(full=3, empty=1)}}


@pytest.mark.parametrize(("end", "text"), [(".json", '{"verilog":'), (".json", "[]"), (".dat", "C 'x' 1C '")])
def test_what_no_run_has_left_is_told_by_its_file(end: str, text: str, tmp_path: Path) -> None:
    """Torn files, or files of others."""
    runs = kept(tmp_path)
    (path,) = runs.glob(f"*{end}")
    path.write_text(text)
    with pytest.raises(ValueError) as error:
        merge(runs, SOURCES)
    assert str(error.value) == f"folder must hold runs alone, each whole, not {str(path.with_suffix('.json'))!r}"


def test_a_hole_is_explained_by_its_text_not_by_its_line_number() -> None:
    """And an explanation without a hole is found."""
    waivers = [
        Waiver("unit", "branch", r"h = Mux\(.*\) Mux, 0", "never", "a::b"),
        Waiver("unit", "toggle", r"row\[[12]\] .*", "small", "a::b"),
        Waiver("unit", "toggle", r"row", "matches the whole only", "a::b"),
        Waiver("other", "line", r".*", "another unit", "a::b"),
    ]
    holes = holes_of(POINTS, waivers, SOURCES)
    assert {hole.label: hole.why for hole in holes} == {
        "with m.Elif(c):": None,
        "with m.Elif(c): taken": None,
        "with m.Case(0):": None,
        "with m.Case(0): taken": None,
        "with m.If(f[i]): taken, round 1": None,
        "with m.If(f[i]): passed over, round 2": None,
        "h = Mux(i, j, k) Mux, 0": "never (`a::b`)",
        "row[2] falls": "small (`a::b`)",
    }
    assert stale(holes, waivers) == waivers[2:]


@pytest.mark.parametrize(
    "text", ['[[hole]]\nunit = "a"\n', '[[hole]]\nunit="a"\nkind="x"\nwhat="b"\nwhy="c"\nby="d"\n']
)
def test_a_bad_explanation_is_refused(text: str) -> None:
    """A key that is missing, a kind that is none."""
    with pytest.raises(ValueError, match="hole must have unit, kind"):
        waivers_of(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[[hole]]\nunit = "a\n', " (Illegal character '\\n' (at line 2, column 10))"),
        ('[hole]\nunit = "a"\n', ", not hole = {'unit': 'a'}"),
    ],
)
def test_explanations_that_are_none_are_refused(text: str, said: str) -> None:
    """In one line: no TOML, or no tables."""
    with pytest.raises(UsageError) as error:
        waivers_of(text)
    assert str(error.value) == f"explanations must be TOML with tables [[hole]]{said}"


@pytest.mark.usefixtures("no_constants", "at_a_revision")
def test_the_report_says_of_which_revision_its_runs_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of all, if there are several; and the date of the report."""
    runs = kept(tmp_path)
    (tmp_path / "rtl").mkdir()
    (tmp_path / "rtl" / "unit.py").write_text(PYTHON)
    monkeypatch.setattr("cubecast.tb.harness.coverage.ROOT", tmp_path)
    words = [str(runs), "--docs", str(tmp_path / "docs"), "--listings", str(tmp_path / "listings")]
    for shown in ("abc", "abc, def+"):
        main(words)
        values = json.loads((tmp_path / "docs" / "coverage.json").read_text())
        assert values["revision"] == shown and re.fullmatch(r"\d{4}-\d\d-\d\d", values["date"])
        first = (tmp_path / "docs" / "coverage.md").read_text().splitlines()[2]
        assert first == f"Written by `make coverage` at {shown}, {values['date']}; the reasons are kept in"
        monkeypatch.setattr("cubecast.tb.harness.coverage.revision", lambda: "def+")
        report = {"bench": "unit", "command": "c", "cycles": 1, "events": {}}
        keep(runs, tmp_path / "coverage.dat", tmp_path / "top.v", ["unit"], [report])


@pytest.mark.usefixtures("no_constants")
def test_the_report_fails_until_all_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Status 1 with holes that have no explanation, or explanations that have no hole; 2 without any run."""
    runs = kept(tmp_path)
    (tmp_path / "rtl").mkdir()
    (tmp_path / "rtl" / "unit.py").write_text(PYTHON)
    monkeypatch.setattr("cubecast.tb.harness.coverage.ROOT", tmp_path)
    explained = tmp_path / "holes.toml"
    words = [str(runs), "--holes", str(explained), "--docs", str(tmp_path / "docs")]
    words += ["--listings", str(tmp_path / "listings")]
    assert main(words) == 1
    shown = capsys.readouterr().out
    assert "not explained: rtl/unit.py:4: line: with m.Elif(c):\n" in shown
    assert "| `unit` | 66.6 % of 6 | " in shown
    every = "".join(
        f'[[hole]]\nunit = "unit"\nkind = "{kind}"\nwhat = ".*"\nwhy = "so it is"\nby = "a::b"\n'
        for kind in ("line", "branch", "toggle")
    )
    explained.write_text(every)
    assert main(words) == 0
    page = (tmp_path / "docs" / "coverage.md").read_text()
    assert "\nAimed at were 95 % of the toggles without any explanation: missed, with 50 %.\n" in page
    assert "| `unit` | toggle | `row[2] falls` | so it is (`a::b`) |\n" in page
    assert "| `unit` | 1 | 9 | full 2 |\n" in page
    values = json.loads((tmp_path / "docs" / "coverage.json").read_text())
    assert values["units"]["unit"] == {"lines": [4, 6], "branches": [6, 11], "toggles": [1, 2]}
    assert values["benches"]["unit"]["events"] == {"full": 2}
    listing = (tmp_path / "listings" / "unit.txt").read_text()
    assert "           8     2     with m.If(a):\n" in listing
    assert "       never  Mux, 0  (so it is (`a::b`))\n" in listing
    explained.write_text(every + '[[hole]]\nunit = "unit"\nkind = "line"\nwhat = "gone"\nwhy = "it was"\nby = "c::d"\n')
    assert main(words) == 1
    assert "no hole any more: unit: line: gone\n" in capsys.readouterr().out
    page = tmp_path / "docs" / "coverage.md"
    page.unlink()
    assert main([*words, "--unit", "unit"]) == 1
    assert not page.exists()
    assert main([*words, "--unit", "cam"]) == 2
    assert "unit must be one of those that were run (unit), not 'cam'" in capsys.readouterr().err
    assert main([str(tmp_path / "none"), *words[1:]]) == 2
    assert capsys.readouterr().err.startswith("python -m cubecast.tb.harness.coverage: folder must hold runs")
