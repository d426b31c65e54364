"""Testbench of the link pick: words come over all links, one of which is selected, or none."""

from cubecast.tb.common.patterns import chance, moods
from cubecast.tb.harness.bench import Bench
from cubecast.tb.reduction.words import shown, word

__all__ = ["BENCH"]


def stimulus(random, config):
    """Send over all links; select another one now and then."""
    select = 0
    for mood in moods(random, 50, push=(0.1, 0.5, 1.0)):
        if chance(random, 0.05):
            select = random.choice((0, *(1 << j for j in range(config.dim))))
        change = {"select": select}
        for j in range(config.dim):
            change |= shown(f"link__{j}", {"push_r": chance(random, mood["push"]), **word(random, config)})
        yield change


def watch(inputs, outputs, twin):
    """Name the link, and whether others have words too."""
    pushes = [inputs[f"link__{j}__push_r"] for j in range(twin.config.dim)]
    select = inputs["select"]
    if not select:
        yield "none"
    else:
        j = select.bit_length() - 1
        yield f"link {j}" if pushes[j] else "only others" if any(pushes) else "nothing"


def events(config, extra, options):
    """Return all links."""
    return ("none", "only others", "nothing", *(f"link {j}" for j in range(config.dim)))


BENCH = Bench(
    unit="reduction.link_pick:LinkPick",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
