"""Testbench of the controller: WAIT, INPUT, PROCESSING, OUTPUT."""

from cubecast.tb.common.patterns import chance, moods
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]

STATES = ("wait", "input", "processing", "output")


def stimulus(random, config):
    """Drive every input at random; how often each is set changes from mood to mood."""
    names = ("taken", "last", "bad", "truncated", "header_end", "multicast", "terminate", "idle")
    names += ("restored", "changed", "copies", *["chosen"] * (config.decision_latency > 1))
    for mood in moods(random, 20, **dict.fromkeys(names, (0.05, 0.3, 0.9)), rst=(0.0, 0.0, 0.1)):
        yield {name: chance(random, mood[name]) for name in ("rst", *names)}


def watch(inputs, outputs, twin):
    """Name the states, and the transitions that are out of the ordinary."""
    state = STATES[outputs["state"]]
    yield state
    if inputs["rst"] and state != "wait":
        yield "reset"
    if inputs["taken"]:
        if inputs["bad"] and state in ("wait", "input"):
            yield f"bad word in {state}"
        if inputs["truncated"] and inputs["header_end"] and state == "input" and not inputs["bad"]:
            yield "truncated with the header"
        if inputs["truncated"] and state in ("processing", "output"):
            yield "truncated"
        if inputs["last"] and state == "processing":
            yield "end while deciding"
        if inputs["header_end"] and inputs["last"] and state == "input" and not inputs["bad"]:
            yield "no payload"
    if outputs["decide"]:
        yield f"decision in {state}"
        if inputs["restored"]:
            yield "decision beside a dropped copy"
        if inputs["changed"]:
            yield "faults changed, no copies"
    elif (
        state in ("processing", "output") and inputs["multicast"] and not inputs.get("chosen", not inputs["terminate"])
    ):
        if not inputs["terminate"]:
            yield f"wait for the choice in {state}"
    elif state in ("processing", "output") and inputs["multicast"]:
        yield f"wait for the copies in {state}"
        if inputs["restored"]:
            yield "another copy dropped while waiting"
        if not inputs["changed"]:
            yield "wait goes on"
    if state == "output" and outputs["ended"]:
        yield "message done" if inputs["idle"] else "copies still leaving"
    if state == "output" and outputs["discard"]:
        yield "discard"


BENCH = Bench(
    unit="multicast.controller:Controller",
    stimulus=stimulus,
    events=lambda config, extra, options: (
        *STATES,
        *(f"wait for the choice in {state}" for state in ("processing", "output") if config.decision_latency > 1),
        *("reset", "bad word in wait", "bad word in input", "truncated with the header", "truncated", "no payload"),
        *("end while deciding", "message done", "copies still leaving", "discard"),
        *("decision in input", "decision in processing", "decision in output", "decision beside a dropped copy"),
        *("wait for the copies in processing", "wait for the copies in output", "another copy dropped while waiting"),
        *("faults changed, no copies", "wait goes on"),
    ),
    watch=watch,
)
