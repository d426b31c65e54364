"""The moving picture of the explorer in README: a page in the browser, cycle by cycle; ``python -m`` makes it anew."""

from __future__ import annotations

import json
import random
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image

from cubecast.cli import main as cubecast
from tests.explorer.browser import Browser
from tests.explorer.test_recording import entries

PLACE = Path(__file__).resolve().parents[2] / "docs" / "explorer.gif"
SIZE = 1080, 740
COLOURS = 96
CYCLE, END = 350, 2500
"""How long a cycle is shown, and the last one, in ms."""


def messages() -> list[dict[str, Any]]:
    """Return what is sent: lists of three nodes from fourteen nodes of a 4-cube, in eight cycles."""
    source = random.Random(6)
    return [
        {
            "source": node,
            "destinations": source.sample([other for other in range(16) if other != node], 3),
            "data": [node, 7, 7],
            "cycle": source.randrange(8),
        }
        for node in source.sample(range(16), 14)
    ]


def main() -> None:
    """Simulate, let the message be watched that waits longest for others, and write the picture."""
    with tempfile.TemporaryDirectory() as name, Browser(Path(name) / "browser") as browser:
        folder = Path(name)
        sent = folder / "messages.json"
        sent.write_text(json.dumps(messages()))
        if cubecast(["simulate", "--dim", "4", "--messages", str(sent), "--explore", str(folder), "--json"]):
            raise SystemExit(1)
        header, *events = map(json.loads, (folder / "recording.jsonl").read_text().splitlines())
        waits = entries(events, "waits")
        told = {m: sum(e[-1] for e in waits if e[4] == m and e[6] >= 0) for m in range(len(header["messages"]))}
        shown = max(told, key=lambda message: told[message])
        own = [delivery for delivery in header["deliveries"] if delivery["message"] == shown]
        first, last = header["messages"][shown]["start_cycle"], max(delivery["last_cycle"] for delivery in own)
        browser.window(*SIZE)
        browser.open(folder / "index.html", f"#cycle={first}&message={shown}")
        frames = []
        for cycle in range(first, last + 1):
            browser.until(f"document.querySelector('#summary').textContent.startsWith('cycle {cycle} of ')")
            browser.picture(folder / "frame.png")
            with Image.open(folder / "frame.png") as frame:
                frames.append(frame.convert("RGB"))
            browser.press("ArrowRight")
    # One palette for all frames, so that what stands still stays as it is.
    together = Image.new("RGB", (SIZE[0], SIZE[1] * len(frames)))
    for place, frame in enumerate(frames):
        together.paste(frame, (0, SIZE[1] * place))
    palette = together.quantize(COLOURS, method=Image.Quantize.MAXCOVERAGE)
    drawn = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    times = [CYCLE] * (len(drawn) - 1) + [END]
    drawn[0].save(PLACE, save_all=True, append_images=drawn[1:], duration=times, loop=0, optimize=True)
    print(f"{PLACE}: {len(drawn)} cycles, message {shown}, {PLACE.stat().st_size} bytes")


if __name__ == "__main__":
    main()
