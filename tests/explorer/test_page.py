"""The page in a real browser: every interaction, against the recording."""

import json
import math
import random
from pathlib import Path

import pytest

from cubecast.cli import main
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.packet.contract.config import PacketConfig
from tests.explorer.explored import explored, record
from tests.explorer.test_recording import entries, times

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
NOW = "Number(document.querySelector('#timeline input').value)"


def values(name):
    """Return the messages of an example."""
    return json.loads((EXAMPLES / f"{name}.json").read_text())


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    """A run with multicasts, a broadcast, a faulty node, waits and reports: folder, header and events."""
    folder = tmp_path_factory.mktemp("mixed")
    sent = [*values("mixed"), {"source": 0, "destinations": [5, 6], "data": [7]}]
    _, header, events = record(folder, Config(dim=3, max_dest=3), [m for m in sent if m["source"] != 6], [6], stall=0.3)
    return folder / "index.html", header, events


def moving(events, cycle):
    """Return the words on links in a cycle, and who waits."""
    words = [e for e in entries(events, "links") if cycle in times(e[0], e[5], *e[6:])]
    waits = [e for e in entries(events, "waits") if e[0] <= cycle < e[0] + e[-1]]
    return words, waits


def said(events, cycle):
    """Return the beginning of what the page says of a cycle."""
    words, waits = moving(events, cycle)
    return f"{len(words)} {'word' if len(words) == 1 else 'words'} on links, {len(waits)} waiting"


def test_time_by_keys_buttons_and_slider(browser, mixed):
    """Step, ten steps, ends, a drag over the time line, play and pause: the words on links are the recording's."""
    page, header, events = mixed
    browser.open(page)
    assert "hardware and golden network agree" in browser.text("#run")

    def shows(cycle):
        browser.until(f"document.querySelector('#summary').textContent.startsWith('cycle {cycle} of ')")
        assert browser.text("#summary").endswith(said(events, cycle))

    shows(0)
    browser.press("ArrowRight")
    shows(1)
    browser.press("ArrowRight", shift=True)
    shows(11)
    browser.press("ArrowLeft")
    shows(10)
    browser.click("#step")
    shows(11)
    browser.click("#back")
    shows(10)
    browser.press("End")
    browser.until(f"{NOW} >= {header['cycles'] - 1}")
    last = browser.ask(NOW)
    shows(last)
    browser.press("Home")
    shows(0)
    x, y = browser.middle("#timeline canvas")
    browser.mouse(x - 60, y, "press")
    browser.mouse(x, y, "move")
    browser.mouse(x, y, "release")
    shows(round((last + 1) / 2 - 0.5))
    browser.press("Home")
    browser.press("+", "+")
    assert browser.ask("document.querySelector('#speed').value") == "8"
    browser.press(" ", " ")
    browser.until(f"{NOW} >= 3 && document.querySelector('#play').textContent === 'Pause'")
    browser.press(" ", " ")
    browser.until("document.querySelector('#play').textContent === 'Play'")
    shows(browser.ask(NOW))


def test_keys_do_the_same_where_a_control_has_the_focus(browser, mixed):
    """On the slider, which the mouse leaves the focus on; Space alone opens what a heading hides, and plays nothing."""
    page, *_ = mixed
    browser.open(page, "#cycle=20&message=1")
    browser.ask("document.querySelector('#timeline input').focus()")
    for key, shift, cycle in (("ArrowRight", True, 30), ("ArrowLeft", False, 29), ("Home", False, 0)):
        browser.press(key, shift=shift)
        browser.until(f"document.querySelector('#summary').textContent.startsWith('cycle {cycle} of ')")
    browser.press("Escape")
    assert browser.text("#panel h2") == "Messages"
    browser.ask("document.querySelector('summary').focus()")
    browser.press(" ", " ")
    browser.until("document.querySelector('details').open")
    assert browser.text("#play") == "Play"


def rows(browser, caption):
    """Return the cells of the table whose caption begins so."""
    script = """
    [...document.querySelectorAll('#panel table')]
      .filter((table) => table.caption.textContent.startsWith(%s))
      .flatMap((table) => [...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent)))
    """
    return browser.ask(script % json.dumps(caption))


def test_a_message_tells_its_way_its_waits_and_its_deliveries(browser, mixed):
    """Picked in the list; hops with their words, what it waited for, who got it, all as recorded."""
    page, header, events = mixed
    browser.open(page)
    assert len(rows(browser, "messages")) == len(header["messages"])
    place = next(place for place, message in enumerate(header["messages"]) if message["message"] == 1)
    browser.click("#panel td button.to", 2 * place)
    assert browser.text("#panel h2") == "Message 1"
    hops = [e for e in entries(events, "links") if e[4] == place]
    told = rows(browser, "hops")
    assert [row[1] for row in told] == [f"{e[1]} → {e[1] ^ 1 << e[2]}" for e in hops]
    assert [row[3].split() for row in told] == [[str(word) for word in e[5]] for e in hops]
    data = header["messages"][place]["data_words"]
    bold = browser.ask("[...document.querySelectorAll('#panel code b')].map((b) => b.textContent)")
    assert bold == [" ".join(map(str, e[5][: len(e[5]) - data])) for e in hops]
    waits = [e for e in entries(events, "waits") if e[4] == place]
    assert waits and [row[3].split(": ")[1].split(" (")[0] for row in rows(browser, "waits")] == [e[5] for e in waits]
    own = [d for d in header["deliveries"] if d["message"] == 1]
    told = [[str(d[name]) for name in ("node", "first_cycle", "last_cycle")] for d in own]
    assert [row[:3] for row in rows(browser, "deliveries")] == told
    browser.click("#panel tr[data-first] button.to", 1)
    browser.until(f"{NOW} === {own[0]['first_cycle']}")
    browser.until("document.querySelectorAll('.node.got').length > 0")
    got = browser.ask("[...document.querySelectorAll('.node.got')].map((node) => Number(node.dataset.node))")
    assert set(got) == {d["node"] for d in own if d["first_cycle"] <= own[0]["first_cycle"]}
    assert f"message={place}" in browser.ask("location.hash")


def test_what_is_cut_off_is_not_delivered(browser, tmp_path):
    """In the list of messages, and in the picture, where its destination is not filled."""
    sent = [
        {"source": 0, "destinations": [1, 2], "data": [*range(12)]},
        {"cycle": 8, "node": 1, "fault": [0]},
    ]
    found, header, _ = record(tmp_path, Config(dim=2), sent)
    assert [(d["node"], d["error"]) for d in found["deliveries"]] == [(1, True), (2, False)]
    browser.open(tmp_path / "index.html")
    assert rows(browser, "messages") == [["0", "0", "1 2", "0", "1 of 2"]]
    browser.click("#panel td button.to")
    assert [[row[0], row[3]] for row in rows(browser, "deliveries")] == [["1", "cut off"], ["2", ""]]
    browser.press("End")
    browser.until(f"{NOW} >= {header['cycles'] - 1} && document.querySelectorAll('.node.got').length > 0")
    marks = "[...document.querySelectorAll('.node.%s')].map((node) => Number(node.dataset.node))"
    assert (browser.ask(marks % "got"), browser.ask(marks % "meant")) == ([2], [1])


def test_a_node_tells_what_its_units_hold(browser, mixed):
    """Clicked in the picture, or walked to with the keyboard; it goes with the time."""
    page, header, events = mixed
    browser.open(page)
    browser.click('[data-node="3"]')
    assert browser.text("#panel h2") == "Node 3 011"
    changes = [e for e in entries(events, "units") if e[1] == 3]
    for cycle in sorted({e[0] for e in changes})[:12:3]:
        held = {unit: fields for at, _, unit, fields in changes if at <= cycle}
        browser.ask(
            f"(() => {{ const it = document.querySelector('#timeline input'); it.value = {cycle};"
            " it.dispatchEvent(new Event('input')); })()"
        )
        browser.until(
            f"document.querySelector('#panel caption, #panel .none').textContent.startsWith('units in cycle {cycle},')"
        )
        told = rows(browser, "units")
        wanted = {header["units"][unit][0]: fields for unit, fields in held.items() if fields}
        assert {name for name, _ in told} == wanted.keys()
        for name, text in told:
            if not name.endswith("gateway") and "output gateway" not in name:
                state, message, stored, left, _ = wanted[name]
                number = header["messages"][message]["message"]
                assert text.startswith(f"state {state}; message {number}; words stored {stored}; ")
                assert f"destinations left {' '.join(map(str, left)) or 'none'};" in text
    browser.ask("document.querySelector('[data-node=\"3\"]').focus()")
    browser.press("2", "2")
    browser.press("Enter")
    assert browser.text("#panel h2") == "Node 7 111"


def test_a_link_tells_its_words_over_time(browser, mixed):
    """Clicked in the picture; the other direction is one step away, and Escape leads back."""
    page, _, events = mixed
    browser.open(page)
    x, y = browser.ask(
        "(() => { const {x, y, width, height} = document.querySelector('[data-link=\"1-3\"]').getBoundingClientRect();"
        " return [x + width / 2, y + height / 2]; })()"
    )
    browser.mouse(x, y)
    for node in (1, 3):
        to = node ^ 2
        assert browser.text("#panel h2") == f"Link {node} → {to}"
        runs = [e for e in entries(events, "links") if e[1:3] == (node, 1)]
        assert [row[3].split() for row in rows(browser, "words")] == [[str(word) for word in e[5]] for e in runs]
        assert f"the router counts {sum(len(e[5]) for e in runs)} words" in browser.text("#panel p")
        browser.click("#panel p button.to")
    browser.press("Escape")
    assert browser.text("#panel h2") == "Messages"


def test_search_by_message_node_and_reason(browser, mixed):
    """One hit is shown at once, several are listed, none is said."""
    page, _, events = mixed
    browser.open(page)

    def find(text):
        browser.press("/", "/")
        browser.ask("document.querySelector('#query').value = ''")
        browser.call("Input.insertText", text=text)
        browser.press("Enter", "\r")
        browser.ask("document.activeElement.blur()")
        return browser.text("#found"), browser.ask(
            "[...document.querySelectorAll('#results button')].map((button) => button.textContent)"
        )

    assert find("message 2") == ("1 found", ["message 2"]) and browser.text("#panel h2") == "Message 2"
    assert find("node 5") == ("1 found", ["node 5 101"]) and browser.text("#panel h2") == "Node 5 101"
    assert find("0b110")[1] == ["node 6 110"]
    reports = entries(events, "reports")
    found, listed = find("undeliv")
    assert reports and found == f"{len(reports)} found"
    assert [text.split(":")[0] for text in listed] == [f"cycle {cycle}" for cycle, *_ in reports]
    waits = [e for e in entries(events, "waits") if e[5] == "link in use"]
    assert find("link in use")[0].startswith(f"{len(waits)} found")
    assert find("nothing of this") == ("0 found", [])


def test_a_deadlock_is_shown_as_a_ring(browser, tmp_path):
    """The page says that the run ended in a standstill, who waits for whom, and leads to the end."""
    _, header, _ = record(tmp_path, Config(dim=3, lanes=1), values("deadlock"))
    browser.open(tmp_path / "index.html")
    names = [f"node {node} {header['units'][unit][0]}" for node, unit in header["ring"]]
    assert browser.text("#standstill") == f"Deadlock: 4 buffers wait for each other: {', '.join(names)}."
    pixels = "document.querySelector('#stage canvas').toDataURL()"
    browser.press("End")
    browser.until(f"{NOW} > 0")
    before = browser.ask(pixels)
    browser.click("#ring")
    browser.until(f"{pixels} !== {json.dumps(before)}")
    assert browser.ask("document.querySelectorAll('.node.waits').length") == 4


def test_words_are_drawn_on_their_links_in_the_colours_of_their_messages(browser, mixed):
    """In the middle of a link that a word crosses stands its colour, and on no link that is idle."""
    page, _, events = mixed
    browser.open(page)
    cycle = max(range(20), key=lambda at: len(moving(events, at)[0]))
    words, _ = moving(events, cycle)
    assert words
    browser.open(page, f"#cycle={cycle}")
    layout = browser.ask("JSON.parse(document.querySelector('#layout').textContent)")
    places = layout["places"]
    busy = {(e[1], e[1] ^ 1 << e[2]) for e in words}
    ways = [(node, node ^ 1 << dimension) for node in range(8) for dimension in range(3)]

    def beside(way, distance):
        """Return the point at a distance to the right of a link's middle, where words are 5 away."""
        (a, b), (c, d) = (places[node] for node in way)
        length = math.dist((a, b), (c, d))
        return (a + c) / 2 - distance * (d - b) / length, (b + d) / 2 + distance * (c - a) / length

    # At the outer edge of a word no number stands; words of links that cross in the picture are left out.
    near = {way for way in ways for other in busy - {way} if math.dist(beside(way, 9), beside(other, 5)) < 17}
    ways = [way for way in ways if way not in near]
    points = [beside(way, distance) for way in ways for distance in (8, 9, 10)]
    assert len(busy & {*ways}) > 3 and len({*ways} - busy) > 3
    seen = browser.ask(
        "(() => { const canvas = document.querySelector('#moving'),"
        f" scale = canvas.width / {layout['width']},"
        " {data, width} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);"
        f" return {json.dumps(points)}.map(([x, y]) => {{"
        " const at = 4 * (Math.round(y * scale) * width + Math.round(x * scale));"
        " return [...data.slice(at, at + 4)]; }); })()"
    )
    coloured = [pixel[3] == 255 and max(pixel[:3]) - min(pixel[:3]) > 40 for pixel in seen]
    assert {way for place, way in enumerate(ways) if any(coloured[3 * place : 3 * place + 3])} == busy & {*ways}


@pytest.mark.parametrize("config", [Config(dim=2), CrosspointConfig(dim=2)], ids=["multicast", "crosspoint"])
def test_links_that_are_cut_are_dotted_as_long_as_they_are(browser, tmp_path, config):
    """Those of a faulty node from the start on, others from the cycle on in which no word crosses them any more."""
    sent = [{"source": 0, "destinations": [1], "data": [*range(12)]}]
    sent += [{"cycle": 20, "node": 1, "fault": []}, {"cycle": 6, "node": 1, "fault": [0, 1]}]
    sent += [{"source": 0, "destinations": [1], "data": [1], "cycle": 40}]
    *_, events = record(tmp_path, config, sent, [3])
    runs = [times(e[0], e[5], *e[6:]) for e in entries(events, "links") if e[1:3] == (0, 0)]
    crossed = {cycle for run in runs for cycle in run}
    assert 7 in crossed and not crossed & {*range(8, 22)} and max(crossed) > 22
    browser.open(tmp_path / "index.html")
    layout = browser.ask("JSON.parse(document.querySelector('#layout').textContent)")
    red = (
        "(() => {{ const canvas = document.querySelector('#stage canvas'), scale = canvas.width / {width},"
        " {{data, width}} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);"
        " return {links}.map(([[a, b], [c, d]]) => Array.from({{length: 200}}, (_, part) => 0.25 + part / 400)"
        " .some((part) => {{ const [x, y] = [a + part * (c - a), b + part * (d - b)];"
        " const at = 4 * (Math.round(y * scale) * width + Math.round(x * scale));"
        " return data[at + 3] > 0 && data[at] > data[at + 1] + 60; }})); }})()"
    )
    ends = [(0, 1), (0, 2), (1, 3), (2, 3)]
    links = [[layout["places"][node] for node in link] for link in ends]
    faulty = {(1, 3), (2, 3)}
    for cycle, wanted in ((0, faulty), (7, faulty), (8, {(0, 1), *faulty}), (21, {(0, 1), *faulty}), (22, {(2, 3)})):
        browser.open(tmp_path / "index.html", f"#cycle={cycle}")
        told = browser.ask(red.format(width=layout["width"], links=json.dumps(links)))
        assert {link for link, dotted in zip(ends, told, strict=True) if dotted} == wanted, cycle


def test_the_page_of_a_merge(browser, capsys, tmp_path):
    """Steps are steps, the vector of a node and the messages that it waits for are the recording's."""
    arguments = ["reduce", "--dim", "3", "--faulty-links", "4-6,4-0", "--fault", "7", "--all"]
    _, header, events = explored(capsys, tmp_path, *arguments)
    browser.open(tmp_path / "index.html", "#cycle=1&node=5")
    assert "the golden model alone, no hardware was run" in browser.text("#run")
    count = len([e for e in entries(events, "links") if e[0] == 1])
    waits = [e for e in entries(events, "waits") if e[0] <= 1 < e[0] + e[-1]]
    moving = f"{count} message{'' if count == 1 else 's'} on links, {len(waits)} waiting"
    assert browser.text("#summary") == f"step 1 of {header['cycles']}: {moving}"
    values = [values for step, node, _, values in entries(events, "units") if node == 5 and step <= 1][-1]
    assert rows(browser, "units in step 1") == [["vector", f"of {values[0]}; words {values[1][0]}"]]
    browser.press("Escape")
    told = rows(browser, "messages")
    assert [row[1:3] for row in told] == [
        [str(message["source"]), " ".join(map(str, message["destinations"]))] for message in header["messages"]
    ]
    waiting = next(e for e in entries(events, "waits") if e[4] >= 0)
    browser.open(tmp_path / "index.html", f"#message={waiting[4]}")
    (row,) = [row for row in rows(browser, "waits") if row[1] == str(waiting[1])]
    assert row[3].endswith(f"message not here yet (message {waiting[6]})")
    browser.press("End")
    browser.until(f"{NOW} === {header['cycles'] - 1}")
    assert browser.ask("document.querySelectorAll('.node.faulty').length") == 1


@pytest.mark.parametrize(
    "config",
    [CrosspointConfig(dim=3), PacketConfig(dim=3), PacketConfig(dim=3, link="serial")],
    ids=["crosspoint", "packet", "serial"],
)
def test_pages_of_packets(browser, tmp_path, config):
    """A message's hops, waits and deliveries, and what a node holds, on routers whose messages are packets."""
    source, sent = random.Random(8), []
    for node in range(8):
        others = source.sample([other for other in range(8) if other != node], 3)
        sent.append({"source": node, "destinations": others, "data": list(range(9))})
    _, header, events = record(tmp_path, config, sent, stall=0.3)
    place = next(e[4] for e in entries(events, "waits") if e[4] >= 0 and e[6] >= 0)
    browser.open(tmp_path / "index.html", f"#message={place}")
    hops = [e for e in entries(events, "links") if e[4] == place]
    told = rows(browser, "hops")
    assert [row[1] for row in told] == [f"{e[1]} → {e[1] ^ 1 << e[2]}" for e in hops]
    assert [row[3].split() for row in told] == [[str(word) for word in e[5]] for e in hops]
    waits = [e for e in entries(events, "waits") if e[4] == place]
    by = [f" ({'message ' + str(header['messages'][e[6]]['message'])})" if e[6] >= 0 else "" for e in waits]
    ports = ["the local port" if e[3] == 3 else f"dimension {e[3]}" for e in waits]
    assert [row[3] for row in rows(browser, "waits")] == [
        f"{port}: {e[5]}{who}" for port, e, who in zip(ports, waits, by, strict=True)
    ]
    assert {int(row[0]) for row in rows(browser, "deliveries")} == {*sent[place]["destinations"]}
    cycle, node = waits[0][0], waits[0][1]
    browser.open(tmp_path / "index.html", f"#cycle={cycle}&node={node}")
    held = {}
    for at, where, unit, fields in entries(events, "units"):
        if where == node and at <= cycle:
            held[unit] = fields
    names = [header["units"][unit][0] for unit in sorted(held) if held[unit]]
    assert names and [row[0] for row in rows(browser, "units")] == names


def test_the_page_of_a_load(browser, capsys, tmp_path):
    """What waits in the queue of a load node, and the messages of several packets, are the recording's."""
    what = "load --router crosspoint --dim 2 --cycles 100 --rates 1 --length 12 --engine golden --jobs 1"
    assert main([*what.split(), "--explore", str(tmp_path)]) == 0
    capsys.readouterr()
    header, *events = map(json.loads, (tmp_path / "recording.jsonl").read_text().splitlines())
    queue = len(header["units"]) - 1
    cycle, node, _, (waiting,) = max(
        (e for e in entries(events, "units") if e[2] == queue and e[3]), key=lambda e: e[3]
    )
    browser.open(tmp_path / "index.html", f"#cycle={cycle}&node={node}")
    assert "loaded crosspoint routers" in browser.text("#run")
    assert rows(browser, "units")[-1] == ["load node", f"messages waiting {waiting}"] and waiting > 1
    message = header["messages"][0]
    browser.open(tmp_path / "index.html", "#message=0")
    packets = [e for e in entries(events, "eject") if e[2] == 0]
    assert len(packets) == 3 and sum(len(e[3]) for e in packets) == 12
    first, last = packets[0][0], packets[-1][0] + len(packets[-1][3]) - 1
    (told,) = rows(browser, "deliveries")
    assert told[:3] == [str(message["destinations"][0]), str(first), str(last)]


def test_the_page_of_a_load_with_all_reduces(browser, capsys, tmp_path):
    """What an all-reduce makes on its links beside packets, what a join unit has, and who waits behind whom."""
    what = "load --router crosspoint --dim 2 --cycles 200 --rates 0.8 --reduce 6:10 --engine golden --jobs 1"
    assert main([*what.split(), "--explore", str(tmp_path)]) == 0
    capsys.readouterr()
    header, *events = map(json.loads, (tmp_path / "recording.jsonl").read_text().splitlines())
    names = [message.get("what", "") for message in header["messages"]]
    cycle, node, unit, _, message, why, by, _ = next(
        e for e in entries(events, "waits") if names[e[4]] and e[6] >= 0 and not names[e[6]]
    )
    browser.open(tmp_path / "index.html", f"#message={message}")
    assert "crosspoint routers" in browser.text("#run") and "all-reduces of 6 words beside" in browser.text("#run")
    assert browser.text("#panel p").startswith(f"{names[message]}, from ")
    hops = [e for e in entries(events, "links") if e[4] == message]
    told = rows(browser, "hops")
    assert hops and [row[1:3] for row in told] == [[f"{e[1]} → {e[1] ^ 1 << e[2]}", "1"] for e in hops]
    assert [row[3].split() for row in told] == [[str(word) for word in e[5]] for e in hops]
    assert [row[3].split(": ")[1] for row in rows(browser, "waits")][:1] == [f"{why} (message {by})"]
    browser.open(tmp_path / "index.html", f"#cycle={cycle}&node={node}")
    state = {place: values for at, where, place, values in entries(events, "units") if where == node and at <= cycle}
    wanted = [name for place, (name, _) in enumerate(header["units"]) if state.get(place)]
    assert [row[0] for row in rows(browser, "units")] == wanted and header["units"][unit][0] in wanted
    browser.ask("document.querySelector('#query').value = 'result of all-reduce 0'")
    browser.click("#search button")
    assert browser.text("#found") == "1 found"
    assert browser.text("#panel p").startswith("result of all-reduce 0, from ")


def test_the_picture_can_be_made_larger(browser, mixed):
    """Twice as wide, as sharp as before, in a box that can be moved; what is clicked is what is seen there."""
    page, *_ = mixed
    browser.open(page)
    width = "document.querySelector('#stage').clientWidth"
    before = browser.ask(width)
    browser.ask(
        "(() => { const it = document.querySelector('#zoom'); it.value = 2; it.dispatchEvent(new Event('change')) })()"
    )
    browser.until(f"Math.abs({width} - 2 * {before}) < 2 && document.querySelector('#moving').width === {width}")
    assert browser.ask(
        "document.documentElement.scrollWidth <= innerWidth && document.querySelector('#view').scrollWidth"
    )
    browser.click('[data-node="7"]')
    assert browser.text("#panel h2") == "Node 7 111"


def test_words_stand_still_for_who_asks_for_less_motion(browser, mixed):
    """They are then where they are in the middle of a cycle, played or not."""
    page, _, events = mixed
    cycle = max(range(20), key=lambda at: len(moving(events, at)[0]))
    pixels = "document.querySelector('#moving').toDataURL()"
    # Three frames at this speed are less than half a cycle, however long they take.
    played = f"""new Promise((done) => {{
      document.querySelector('#speed').value = 0.5;
      document.querySelector('#speed').dispatchEvent(new Event('change'));
      document.querySelector('#play').click();
      const after = (frames) => (frames ? requestAnimationFrame(() => after(frames - 1)) : done({pixels}));
      after(3);
    }})"""
    changed = []
    for asked in ("no-preference", "reduce"):
        browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-reduced-motion", "value": asked}])
        browser.open(page, f"#cycle={cycle}")
        before = browser.ask(pixels)
        changed.append(browser.ask(played) != before)
        assert browser.ask("document.querySelector('#summary').ariaLive") == "off"
    browser.call("Emulation.setEmulatedMedia", features=[])
    assert changed == [True, False]


@pytest.mark.parametrize("dark", [False, True])
def test_it_can_be_read_and_used_on_any_screen(browser, mixed, dark):
    """Nothing is wider than a phone, text has a contrast of 4.5 at least, everything to press has a name."""
    page, *_ = mixed
    browser.window(390, 844, dark=dark, mobile=True)
    browser.open(page, "#message=1")
    assert browser.ask("document.documentElement.scrollWidth") <= 390
    contrast = """
    (() => {
      const light = (text) => {
        const parts = text.match(/[\\d.]+/g).slice(0, 3).map(Number)
          .map((part) => part / 255).map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
      };
      const ground = (it) => {
        for (; it; it = it.parentElement) {
          const colour = getComputedStyle(it).backgroundColor;
          if (!colour.endsWith(', 0)')) return light(colour);
        }
      };
      return [...document.querySelectorAll('p, td, th, h1, h2, button, label, caption, li, summary')].map((it) => {
        const [a, b] = [light(getComputedStyle(it).color), ground(it)].sort((a, b) => b - a);
        return (a + 0.05) / (b + 0.05);
      });
    })()
    """
    found = browser.ask(contrast)
    assert len(found) > 40 and min(found) >= 4.5
    nameless = (
        "[...document.querySelectorAll('button, input, select, [role=button]')].filter((it) =>"
        " !(it.textContent.trim() || it.getAttribute('aria-label') || it.labels?.length)).length"
    )
    assert browser.ask(nameless) == 0
    browser.window(1366, 768)


SQUARE = """<!DOCTYPE html><html data-ready="true"><canvas width="777" height="476"></canvas>
<select id="speed"><option>16</select><button id="play"></button><script>
const pen = document.querySelector("canvas").getContext("2d");
const frame = (now) => {
  pen.clearRect(0, 0, 777, 476);
  pen.fillRect(now % 700, 50, 20, 20);
  requestAnimationFrame(frame);
};
requestAnimationFrame(frame);
</script></html>"""


def frames(browser):
    """Play the page; return frames per second, and the ms of scripts and of the whole browser for one."""

    def scripts():
        """Return the seconds that scripts have taken so far."""
        metrics = browser.call("Performance.getMetrics")["metrics"]
        return next(each["value"] for each in metrics if each["name"] == "ScriptDuration")

    before = scripts(), browser.seconds()
    times = browser.ask(
        """new Promise((done) => {
          const times = [];
          document.querySelector('#speed').value = 16;
          document.querySelector('#speed').dispatchEvent(new Event('change'));
          document.querySelector('#play').click();
          const frame = (now) => { times.push(now); times.length < 240 ? requestAnimationFrame(frame) : done(times); };
          requestAnimationFrame(frame);
        })"""
    )
    taken = scripts() - before[0], browser.seconds() - before[1]
    return 1000 * (len(times) - 1) / (times[-1] - times[0]), *(1000 * each / len(times) for each in taken)


@pytest.mark.soak
def test_frames_per_second(browser, tmp_path):
    """200 messages in a 6-cube, beside a square on an empty page: frames and their cost are printed, not judged."""
    source, sent = random.Random(3), []
    for _ in range(200):
        node = source.randrange(64)
        nodes = [other for other in source.sample(range(64), 4) if other != node]
        sent.append({"source": node, "destinations": nodes, "data": [1, 2, 3], "cycle": source.randrange(20)})
    record(tmp_path, Config(dim=6), sent)
    (tmp_path / "square.html").write_text(SQUARE)
    browser.call("Performance.enable")
    for name in ("index", "square"):
        browser.open(tmp_path / f"{name}.html")
        rate, scripts, whole = frames(browser)
        print(f"{name}: {rate:.0f} frames per second, {scripts:.1f} ms of scripts and {whole:.1f} ms of CPU in each")
        assert name == "square" or browser.ask(NOW) > 0
