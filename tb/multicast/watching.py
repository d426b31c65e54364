"""Recording of the multicast network: message handling units, output gateways, and who waits for which link."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from cubecast.golden.common.twins.ports import bits
from cubecast.golden.multicast.contract.reason import Reason
from cubecast.golden.multicast.contract.states import State
from cubecast.tb.common.patterns import item
from cubecast.tb.common.recording import IN_USE, NOBODY, NOT_READY, NOTHING, Wait, Watcher
from cubecast.tb.multicast.standstill import ring

__all__ = ["MulticastWatcher"]

OCCUPIED, CUT = "lane occupied", "link cut"
"""Why a word waits: the unit at the far end of the link has a message; there is no link."""

States = {int(state): state.name for state in State}


class MulticastWatcher(Watcher):
    """Units of a router: its message handling units, channel by channel, that of the injection, then the gateways."""

    def __init__(self, recorder: Any, messages: Sequence[Mapping[str, Any]]) -> None:
        """Number the messages of each source."""
        super().__init__(recorder, messages)
        # By source and place among its messages.
        self.numbers: dict[tuple[int, int], int] = {}
        sent: Counter[int] = Counter()
        for place, message in enumerate(messages):
            source = message["source"]
            self.numbers[source, sent[source]] = place
            sent[source] += 1
        self._wanted: list[tuple[int, list[int]]] = []
        self._open: set[tuple[int, int]] = set()

    def parts(self) -> dict[str, Any]:
        """Return the units of a router."""
        config = self.config
        names = [f"channel {port}, lane {lane}" for port in range(config.dim) for lane in range(config.lanes)]
        units = [[name, "message handling unit"] for name in (*names, "injection")]
        gateways = [*(f"output gateway {port}" for port in range(config.dim)), "local output gateway"]
        kinds = {
            "message handling unit": ["state", "message", "words stored", "destinations left", "copies through port"],
            "output gateway": ["owner", "message"],
        }
        waiting = [[buffer.node, buffer.channel * config.lanes + buffer.lane] for buffer in ring(self.network)]
        return {
            "units": [*units, *([name, "output gateway"] for name in gateways)],
            "kinds": kinds,
            "arbiters": [[name, port] for port, name in enumerate(gateways)],
            "ring": waiting,
        }

    def number(self, message: Any) -> int:
        """Return the place of the n-th message of a source."""
        return self.numbers.get(tuple(message), NOBODY)

    def payload(self, place: int) -> int | None:
        """Return the words behind the header: k, its list, Control or the source, and the source field."""
        data = max(0, self._behind(self.messages[place]["words"]))
        return data if self._crossed.get(place, {data}) == {data} else None

    @cached_property
    def _crossed(self) -> dict[int, set[int]]:
        """The words behind the header of all copies that have crossed a link, by message: fewer of one that was cut."""
        found: dict[int, set[int]] = {}
        for events in self.recording.cycles.values():
            for _node, _dimension, _lane, message, words, *_ in events.get("links", ()):
                found.setdefault(message, set()).add(self._behind(words))
        return found

    def _behind(self, words: Sequence[int]) -> int:
        """Return how many words are behind a header, below 0 if it is not whole."""
        left: int = len(words) - 1 - self.config.header_latency(words[0])
        return left

    def look(self) -> None:
        """See who wants which port, and which messages are in the middle."""
        routers = enumerate(self.network.routers)
        self._wanted = [(node, list(router.wanted)) for node, router in routers if any(router.wanted)]
        self._open = set(self.recorder.open)

    def show(self, inputs: Mapping[str, int], outputs: Mapping[str, Any]) -> None:
        """Record words, waits and reports of the cycle, and the units as they are from the next one on."""
        recorder, config, now = self.recorder, self.config, self.recorder.now
        self.local(inputs, outputs)
        for j in range(config.dim):
            for node in bits(outputs[f"link_{j}_valid"]):
                place = node, j, item(outputs[f"link_{j}_lane"], node, config.lane_bits)
                word, last = item(outputs[f"link_{j}_data"], node, config.width), outputs[f"link_{j}_last"] >> node & 1
                message, first = self.number(recorder.sender(node, j)), (node, j) not in self._open
                self.recording.word("links", place, now, message, word, first=first, last=bool(last))
        self.reports("origin", Reason)
        self.recording.waits(now, self.waiting())
        for node in self.stirred():
            self.hold(now + 1, node)

    def local(self, inputs: Mapping[str, int], outputs: Mapping[str, Any]) -> None:
        """Record the words at the ports of the processors."""
        recorder, recording, now, width = self.recorder, self.recording, self.recorder.now, self.config.width
        for node in bits(inputs["inject_valid"] & outputs["inject_ready"]):
            message = self.number((node, recorder.injected[node] - 1))
            word, last = item(inputs["inject_data"], node, width), inputs["inject_last"] >> node & 1
            recording.word("inject", (node,), now, message, word, first=False, last=bool(last))
        for node in bits(outputs["eject_valid"] & inputs["eject_ready"]):
            word, last = item(outputs["eject_data"], node, width), outputs["eject_last"] >> node & 1
            message = self.number(recorder.sender(node, self.config.local))
            recording.word("eject", (node,), now, message, word, first=False, last=bool(last))

    def waiting(self) -> dict[tuple[int, int, int], Wait]:
        """Return the words that stood ready in this cycle and did not move, by node, unit and port."""
        found = {}
        for node, wanted in self._wanted:
            router = self.network.routers[node]
            for port, mask in enumerate(wanted):
                for unit in bits(mask):
                    if not router.moved.get(unit, 0) >> port & 1:
                        found[node, unit, port] = self._held(node, unit), *self._why(node, port, unit)
        return found

    def _held(self, node: int, unit: int) -> int:
        """Return the message that is in a unit, or was last."""
        return self.number(self.recorder.held.get((node, *divmod(unit, self.config.lanes)), ()))

    def _why(self, node: int, port: int, unit: int) -> tuple[str, int]:
        """Return why the word of a unit does not move, and the message that it waits for."""
        router, config = self.network.routers[node], self.config
        gateway, chosen = router.gateways[port], router.chosen[port]
        if gateway.cut:
            return CUT, NOBODY
        if chosen == unit:
            return NOT_READY, NOBODY
        if chosen >= 0 or gateway.locked:
            return IN_USE, self._held(node, chosen if chosen >= 0 else gateway.owner)
        far, lane = node ^ 1 << port, gateway.lane(unit)
        return OCCUPIED, self._held(far, port * config.lanes + lane)

    def hold(self, cycle: int, node: int) -> None:
        """Record what the units of a node hold, and whom its arbiters serve first."""
        router, recording = self.network.routers[node], self.recording
        for unit, mhu in enumerate(router.mhus):
            values = NOTHING
            if not mhu.free:
                left = [mhu.store.rows[row] ^ node for row in bits(mhu.store.remaining())]
                copies = list(bits(mhu.output_module.active))
                state, level = States[mhu.controller.state], len(mhu.data_buffer.words)
                values = [state, self._held(node, unit), level, left, copies]
            recording.unit(cycle, node, unit, values)
        for port, gateway in enumerate(router.gateways):
            owner = [gateway.owner, self._held(node, gateway.owner)] if gateway.locked else NOTHING
            recording.unit(cycle, node, len(router.mhus) + port, owner)
            pointers = gateway.top.pointer, *(arbiter.pointer for arbiter in gateway.arbiters)
            self.order(cycle, node, port, pointers, gateway.order)
