"""Pages of routes, merges, reductions, rings and programs in a real browser: interactions, against the recording."""

import json

import pytest

from cubecast.cli import collective_simulation, main, program_simulation
from tests.explorer.programs import alone
from tests.explorer.test_collective import twin
from tests.explorer.test_page import NOW, moving, rows
from tests.explorer.test_recording import entries

COMMANDS = {
    "tree": "route --dim 5 --source 6 --dest 7,20,29,18,1,0 --fault 4",
    "unreached": "route --dim 3 --source 0 --broadcast --fault 3,5,6",
    "packets": "route --router crosspoint --dim 6 --source 5 --dest 4,3 --runs 1 --faulty-links 4-5",
    "merge": "reduce --dim 3 --faulty-links 4-6,4-0 --fault 7 --all",
    "join": "reduce --router crosspoint --dim 3 --fault 5 --all --contexts 2 --group 0,1,2,3 --group 3,7,6",
    "ring": "ring --dim 4 --nodes 0,2,3,5,6,10,13,15",
    "simulated merge": "reduce --dim 2 --faulty-links 0-1 --all --simulate",
    "simulated ring": "ring --dim 2 --nodes 0,3 --simulate",
    "programs": "simulate --dim 2 --router packet",
}

PROGRAMS = {
    "nodes": {
        "0": [
            {"do": "send", "name": "a", "to": 3, "type": 1, "bytes": 8, "fill": 1},
            {"do": "neighbours", "name": "n", "to": [1], "type": 2, "bytes": 4, "fill": 1},
        ],
        "3": [{"do": "receive", "name": "r", "from": 0, "type": 1, "room": 8}],
    }
}
"""A message that is received, and one that nobody receives."""


@pytest.fixture(scope="module", params=COMMANDS)
def made(request, tmp_path_factory):
    """The page of a command: the file, the header and the events."""
    folder = tmp_path_factory.mktemp("made")
    values = folder / "values.json"
    values.write_text(json.dumps([[node, 1 << 40 + node, 5] for node in range(8)]))
    more = ["--width", "64", "--values", str(values)] if request.param == "join" else []
    wanted = int(request.param == "unreached")
    if request.param == "programs":
        values.write_text(json.dumps(PROGRAMS))
        more = ["--programs", str(values)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(collective_simulation, "play", twin)
        patch.setattr(program_simulation, "lockstep", alone)
        assert main([*COMMANDS[request.param].split(), *more, "--explore", str(folder)]) == wanted
    header, *events = map(json.loads, (folder / "recording.jsonl").read_text().splitlines())
    return folder / "index.html", header, events


def times_of(header):
    """Return what the page calls a point of time."""
    return header.get("time", "cycle")


def said(header, events, cycle):
    """Return the end of what the page says of a cycle."""
    words, waits = moving(events, cycle)
    name = "word"
    if times_of(header) == "step":
        words, name = [e for e in words if e[0] == cycle], "message"
    return f": {len(words)} {name}{'s' * (len(words) != 1)} on links, {len(waits)} waiting"


def ends(browser):
    """Return the last cycle of the page."""
    return browser.ask("Number(document.querySelector('#timeline input').max)")


def test_every_cycle_by_steps_and_by_playing(browser, made):
    """Step by step, and played from the start to the end: what moves and who waits is the recording's."""
    page, header, events = made
    browser.open(page)
    judged = {"model": "the golden model alone, no hardware was run", "match": "hardware and golden network agree"}
    assert judged[header["golden"]] in browser.text("#run")
    last = ends(browser)
    assert last == header["cycles"] - 1 and any(moving(events, cycle)[0] for cycle in range(last + 1))
    for cycle in range(last + 1):
        start = f"{times_of(header)} {cycle} of "
        browser.until(f"document.querySelector('#summary').textContent.startsWith('{start}')")
        assert browser.text("#summary").endswith(said(header, events, cycle))
        browser.press("ArrowRight")
    for _ in range(4):
        browser.press("+", "+")
    browser.press(" ", " ")
    browser.until("document.querySelector('#play').textContent === 'Pause'")
    browser.until(f"document.querySelector('#play').textContent === 'Play' && {NOW} === {last}")
    assert browser.ask("document.querySelector('#speed').value") == "64"


def test_messages_from_start_to_end(browser, made):
    """Each as picked in the list: hops with their words, waits, deliveries; who has it in the end is filled."""
    page, header, events = made
    longest = max(range(len(header["messages"])), key=lambda m: len([e for e in entries(events, "links") if e[4] == m]))
    waiting = next((e[4] for e in entries(events, "waits") if e[4] >= 0), 0)
    browser.open(page)
    for place in {0, longest, waiting, len(header["messages"]) - 1}:
        browser.press("Escape")
        message = header["messages"][place]
        listed = rows(browser, "messages")[place]
        to = message["destinations"]
        assert listed[:3] == [
            str(place),
            str(message["source"]),
            f"{len(to)} nodes" if len(to) > 8 else " ".join(map(str, to)),
        ]
        what = message.get("what", "")
        assert listed[5:] == [what] * any("what" in each for each in header["messages"])
        browser.click(f"#panel tbody tr:nth-child({place + 1}) button.to")
        assert browser.text("#panel h2") == f"Message {place}"
        start = f"{what}, from" if what else "from"
        assert browser.text("#panel p").startswith(f"{start} {message['source']} to ")
        hops = [e for e in entries(events, "links") if e[4] == place]
        told = rows(browser, "hops")
        assert hops and [row[1:3] for row in told] == [[f"{e[1]} → {e[1] ^ 1 << e[2]}", str(e[3])] for e in hops]
        assert [row[3].split() for row in told] == [["?" if word is None else str(word) for word in e[5]] for e in hops]
        waits = [e for e in entries(events, "waits") if e[4] == place]
        shown = [(row[1], row[3].split(": ")[1]) for row in rows(browser, "waits")]
        by = [f" (message {e[6]})" if e[6] >= 0 else "" for e in waits]
        assert shown == [(str(e[1]), e[5] + who) for e, who in zip(waits, by, strict=True)]
        came = [d for d in header["deliveries"] if d["message"] == place]
        assert [row[:3] for row in rows(browser, "deliveries")] == [
            [str(d[name]) for name in ("node", "first_cycle", "last_cycle")] for d in came
        ]
        browser.press("End")
        browser.until(f"document.querySelectorAll('.node.got').length === {len(came)}")
        got = browser.ask("[...document.querySelectorAll('.node.got')].map((node) => Number(node.dataset.node))")
        assert {*got} == {d["node"] for d in came}
        link = f"{hops[0][1]} → {hops[0][1] ^ 1 << hops[0][2]}"
        browser.ask(
            f"[...document.querySelectorAll('#panel button')].find((it) => it.textContent === '{link}').click()"
        )
        assert browser.text("#panel h2") == f"Link {link}"


def held(header, kind, values):
    """Return what the page says that a unit has."""
    parts = []
    for field, value in zip(header["kinds"][kind], values, strict=True):
        if field == "messages":
            parts.append(" ".join(f"message {each}" for each in value))
        elif field == "owner":
            parts.append(f"owner {header['units'][value][0]}")
        elif (field, value) == ("message", -1):
            parts.append("unknown message")
        else:
            parts.append(f"{field} {' '.join(map(str, value)) or 'none' if isinstance(value, list) else value}")
    return "; ".join(parts)


def test_nodes_tell_what_they_have(browser, made):
    """Clicked in the picture, in the cycles in which anything changes there; and what came to them."""
    page, header, events = made
    changes = entries(events, "units")
    busiest = max(range(1 << header["dim"]), key=lambda node: len([e for e in changes if e[1] == node]))
    browser.open(page)
    browser.click(f'[data-node="{busiest}"]')
    for cycle in sorted({e[0] for e in changes if e[1] == busiest})[:5]:
        browser.ask(
            f"(() => {{ const it = document.querySelector('#timeline input'); it.value = {cycle};"
            " it.dispatchEvent(new Event('input')); })()"
        )
        units = f"units in {times_of(header)} {cycle},"
        browser.until(f"document.querySelector('#panel caption, #panel .none').textContent.startsWith('{units}')")
        assert browser.text("#panel h2") == f"Node {busiest} {busiest:0{header['dim']}b}"
        state = {unit: values for at, node, unit, values in changes if node == busiest and at <= cycle}
        wanted = [
            [name, held(header, kind, state[unit])]
            for unit, (name, kind) in enumerate(header["units"])
            if state.get(unit)
        ]
        assert rows(browser, units) == wanted
    for caption, kind in (("injected", "inject"), ("ejected", "eject")):
        told = [[row[1], *row[2].split()] for row in rows(browser, caption)]
        assert told == [
            [f"message {e[2]}", *("?" if word is None else str(word) for word in e[3])]
            for e in entries(events, kind)
            if e[1] == busiest
        ]


def test_links_tell_their_words(browser, made):
    """Of the link that most crosses: its words, how many they are, and the way to the node and its neighbour."""
    page, header, events = made
    runs = entries(events, "links")
    node, j = max({e[1:3] for e in runs}, key=lambda link: len([e for e in runs if e[1:3] == link]))
    browser.open(page, f"#link={node}-{j}")
    own = [e for e in runs if e[1:3] == (node, j)]
    assert browser.text("#panel h2") == f"Link {node} → {node ^ 1 << j}"
    assert [row[1] for row in rows(browser, "words")] == [f"message {e[4]}" for e in own]
    who = header.get("counted", "the golden model" if header["golden"] == "model" else "the router")
    counted = next(link for link in header["links"] if (link["from"], link["to"]) == (node, node ^ 1 << j))
    assert counted["words"] == sum(len(e[5]) for e in own)
    assert f"{who} counts {counted['words']} words, and {counted['waited']} {times_of(header)}s" in browser.text(
        "#panel p"
    )
    browser.click("#panel tbody td:nth-child(2) button.to")
    assert browser.text("#panel h2") == f"Message {own[0][4]}"


def test_search_finds_messages_nodes_and_reasons(browser, made):
    """A message by its number, a node by its bits, waits and what is not reached by the reason."""
    page, header, events = made
    browser.open(page)

    def find(text):
        browser.ask(f"document.querySelector('#query').value = {json.dumps(text)}")
        browser.click("#search button")
        return browser.text("#found")

    assert find(f"message {len(header['messages']) - 1}") == "1 found"
    assert browser.text("#panel h2") == f"Message {len(header['messages']) - 1}"
    assert find(f"node 0b{3:b}") == "1 found" and browser.text("#panel h2").startswith("Node 3 ")
    names = [message["what"] for message in header["messages"] if "what" in message]
    reasons = [e[5] for e in entries(events, "waits")]
    for name in {*names}:
        assert find(name).startswith(f"{len([each for each in names + reasons if name in each])} found")
    for reason in {e[5] for e in entries(events, "waits")}:
        waits = [e for e in entries(events, "waits") if e[5] == reason]
        assert find(reason).startswith(f"{len(waits)} found")
        browser.click("#results button")
        browser.until(f"{NOW} === {waits[0][0]}")
    reasons = [error["reason"] for error in header["errors"]]
    assert find("undeliverable").startswith(f"{reasons.count('UNDELIVERABLE')} found")
