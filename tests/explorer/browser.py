"""A real browser without a window: Chromium, driven over its debugging pipe, so that nothing else is needed."""

from __future__ import annotations

import base64
import json
import os
import select
import shlex
import shutil
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Any

__all__ = ["Browser", "chromium"]

NAMES = ("chromium", "chromium-browser", "google-chrome")
SECONDS = 60
"""Longest time that the browser may take for an answer."""


def chromium() -> str | None:
    """Return the browser that is on this machine, None if there is none."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


class Browser:
    """One page of a browser that lives as long as the context.

    ``problems`` are the errors of the page's scripts and console, and every request that is not for a file or data.

    Parameters
    ----------
    folder : Path
        Where the browser may keep what it likes.
    """

    def __init__(self, folder: Path) -> None:
        """Start the browser with an empty page."""
        down, self._write = os.pipe()
        self._read, up = os.pipe()
        options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-pipe"]
        options += ["--disable-extensions", "--disable-background-networking", "--disable-component-update"]
        command = shlex.join([str(chromium()), *options, f"--user-data-dir={folder}", "about:blank"])
        redirected = f"exec {command} 3<&{down} 4>&{up}"
        quiet = subprocess.DEVNULL
        self._process = subprocess.Popen(["bash", "-c", redirected], pass_fds=(down, up), stdout=quiet, stderr=quiet)
        os.close(down)
        os.close(up)
        self._last, self._buffer, self._session = 0, b"", ""
        self.problems: list[str] = []
        page = next(each for each in self.call("Target.getTargets")["targetInfos"] if each["type"] == "page")
        attached = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self) -> Browser:
        """Return the browser."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """End it."""
        self._process.terminate()
        self._process.wait(SECONDS)
        os.close(self._write)
        os.close(self._read)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Return the answer to a command of the debugging protocol."""
        self._last += 1
        message: dict[str, Any] = {"id": self._last, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._last:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return dict(answer["result"])
            self._note(answer)

    def _receive(self) -> dict[str, Any]:
        """Return the next message of the browser."""
        while b"\0" not in self._buffer:
            if not select.select([self._read], [], [], SECONDS)[0]:
                raise TimeoutError(f"the browser must answer within {SECONDS} seconds")
            received = os.read(self._read, 1 << 20)
            if not received:
                raise RuntimeError("the browser has gone")
            self._buffer += received
        line, _, self._buffer = self._buffer.partition(b"\0")
        return dict(json.loads(line))

    def _note(self, event: dict[str, Any]) -> None:
        """Keep what should not have happened."""
        method, told = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = told["exceptionDetails"]
            self.problems.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and told["type"] in ("error", "warning", "assert"):
            self.problems.append(str(told["args"]))
        elif method == "Log.entryAdded" and told["entry"]["level"] in ("error", "warning"):
            self.problems.append(told["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            address = told["request"]["url"]
            if not address.startswith(("file:", "data:", "about:")):
                self.problems.append(f"asks for {address}")

    def open(self, page: Path, anchor: str = "") -> None:
        """Open a file, and wait until its scripts say that it is ready, and it is drawn."""
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=f"{page.resolve().as_uri()}{anchor}")
        self.until("document.documentElement?.dataset.ready === 'true'")
        # What a frame's callbacks draw is there in the next one.
        self.ask("new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(() => drawn(true))))")

    def ask(self, expression: str) -> Any:
        """Return what an expression is, or what comes of its promise."""
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in found:
            raise RuntimeError(f"{expression}: {found['exceptionDetails']}")
        return found["result"].get("value")

    def until(self, expression: str) -> None:
        """Wait until an expression is true."""
        end = time.monotonic() + SECONDS
        while not self.ask(expression):
            if time.monotonic() > end:
                raise TimeoutError(f"{expression} must become true; problems: {self.problems}")
            time.sleep(0.02)

    def press(self, key: str, text: str = "", *, shift: bool = False) -> None:
        """Press and release a key, as a keyboard does."""
        event = {"key": key, "text": text, "modifiers": 8 if shift else 0}
        self.call("Input.dispatchKeyEvent", type="keyDown", **event)
        self.call("Input.dispatchKeyEvent", type="keyUp", **event)

    def mouse(self, x: float, y: float, kind: str = "click") -> None:
        """Click at a place; or ``"press"``, ``"move"`` and ``"release"`` of a drag."""
        names = {"press": ["mousePressed"], "move": ["mouseMoved"], "release": ["mouseReleased"]}
        for name in names.get(kind, ["mouseMoved", "mousePressed", "mouseReleased"]):
            self.call("Input.dispatchMouseEvent", type=name, x=x, y=y, button="left", buttons=1, clickCount=1)

    def middle(self, selector: str, place: int = 0) -> tuple[float, float]:
        """Return the middle of an element, which is scrolled into view."""
        found = f"document.querySelectorAll({json.dumps(selector)})[{place}]"
        box = self.ask(
            f"(() => {{ const it = {found}; it.scrollIntoView({{block: 'nearest'}});"
            " const {x, y, width, height} = it.getBoundingClientRect(); return [x + width / 2, y + height / 2]; })()"
        )
        return box[0], box[1]

    def click(self, selector: str, place: int = 0) -> None:
        """Click at the middle of an element."""
        self.mouse(*self.middle(selector, place))

    def text(self, selector: str) -> str:
        """Return the text of an element."""
        return str(self.ask(f"document.querySelector({json.dumps(selector)}).textContent"))

    def window(self, width: int, height: int, *, dark: bool = False, mobile: bool = False, scale: float = 1) -> None:
        """Set size and scheme of the window."""
        size = {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": mobile}
        self.call("Emulation.setDeviceMetricsOverride", **size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def seconds(self) -> float:
        """Return the CPU time that the browser has taken so far, all its processes together."""
        ticks: dict[int, int] = {}
        below: dict[int, list[int]] = {}
        for place in Path("/proc").glob("[0-9]*/stat"):
            try:
                # Behind the name, which may have spaces and brackets.
                fields = place.read_text().rpartition(")")[2].split()
            except OSError:
                continue
            number = int(place.parent.name)
            ticks[number] = int(fields[11]) + int(fields[12])
            below.setdefault(int(fields[1]), []).append(number)
        own = [self._process.pid]
        for number in own:
            own += below.get(number, [])
        return sum(ticks[number] for number in own) / os.sysconf("SC_CLK_TCK")

    def picture(self, path: Path) -> None:
        """Keep a picture of what is seen."""
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))
