"""Testbench of the crosspoint router: neighbours that heed its flags, a node of every kind, and faults at both ends."""

import functools

from cubecast.golden.common.contract.control import Register
from cubecast.golden.common.contract.units import ADDRESS_BITS
from cubecast.golden.crosspoint.contract.word import CrosspointReason, outputs_of
from cubecast.tb.common.patterns import chance, moods, recall, sparse
from cubecast.tb.crosspoint.packets import packet, reasons
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH", "Neighbours", "there"]


class Neighbour:
    """What comes over a link: packets for any queues, whose heads heed the flags.

    A flag is known here a cycle late; so a head does not follow a word right away, and no word more than usual is
    unseen.

    Parameters
    ----------
    random : Random
        The run's only source of randomness.
    config : CrosspointConfig
        Parameters of the router.
    dimension : int
        Of the link.
    """

    def __init__(self, random, config, dimension):
        self.random, self.config = random, config
        queues = outputs_of(config, dimension)
        self.all = sum(1 << k for k in queues)
        self.up = self.all >> dimension << dimension
        self.left = self.push = self.down = 0
        self.cut = self.sent = self.open = self.open_up = False

    def next(self, mood):
        """Return what the link carries."""
        random, config, n = self.random, self.config, self.config.dim
        self.down = int(not chance(random, 0.1) if self.down else chance(random, mood["fault"]))
        change = {"data": random.getrandbits(config.width), "r1": sparse(random, n), "push": 0, "head": 0, "last": 0}
        change |= {"error": 0, "r2": sparse(random, n), "kind": random.randrange(3)}
        begins = not self.left and not self.sent and (self.open or self.open_up) and chance(random, mood["load"])
        if self.cut:
            self.left = 0
        elif begins or (self.left and not chance(random, mood["gap"])):
            if begins:
                allowed = self.all if self.open else self.up
                self.left = random.choice((1, random.randint(1, config.packet_limit), config.packet_limit))
                self.push = sparse(random, n + 1) & allowed or allowed & -allowed
            self.left -= 1
            last = int(not self.left)
            change |= {"push": self.push, "head": int(begins), "last": last, "error": last and chance(random, 0.1)}
        self.sent = change["push"] != 0
        return change | {"down": self.down}

    def saw(self, ready, ready_up, down):
        """Take note of the flags, and of the other end's FAULT bit."""
        self.open, self.open_up = bool(ready), bool(ready_up and self.up)
        self.cut = bool(self.down or down)


class Neighbours:
    """The neighbours at all links, and what they take.

    Parameters
    ----------
    random : Random
        The run's only source of randomness.
    config : CrosspointConfig
        Parameters of the router.
    """

    def __init__(self, random, config):
        self.random = random
        self.links = [Neighbour(random, config, j) for j in range(config.dim)]

    def next(self, mood):
        """Return what the links carry, and the flags of their far ends."""
        change = {}
        for j, link in enumerate(self.links):
            change |= {f"link_in__{j}__{name}": value for name, value in link.next(mood).items()}
            ready = chance(self.random, mood["out"])
            change |= {f"link_out__{j}__ready": ready, f"link_out__{j}__ready_up": ready | chance(self.random, 0.3)}
        return change

    def saw(self, outputs):
        """Take note of the router's flags and FAULT bits."""
        for j, link in enumerate(self.links):
            flags = (f"link_in__{j}__ready", f"link_in__{j}__ready_up", f"link_out__{j}__down")
            link.saw(*(outputs.get(name) for name in flags))


def stimulus(random, config):
    """Let neighbours and node send, with resets."""
    drawing = moods(
        random,
        80,
        load=(0.05, 0.5, 1.0),
        gap=(0.0, 0.3),
        out=(0.1, 0.7, 1.0),
        eject=(0.1, 0.7, 1.0),
        illegal=(0.0, 0.1, 0.5),
        fault=(0.0, 0.0, 0.02) if config.fault_tolerant else (0.0,),
        reset=(0.0, 0.002),
    )
    n, number, known = config.dim, 0, there(config)
    while True:
        links, words, rst, fault = Neighbours(random, config), [], 0, 0
        address = random.randrange(config.nodes)
        while not rst:
            mood = next(drawing)
            rst = chance(random, mood["reset"])
            if not words:
                number += 1
                words = packet(random, config, number, mood["illegal"], mood["illegal"] / 4)
            valid = chance(random, mood["load"])
            place, write, data = random.randrange(1 << ADDRESS_BITS), 0, 0
            if chance(random, mood["fault"] if not fault else 0.1):
                fault = 0 if fault else sparse(random, n)
                place, write, data = int(Register.FAULT), 1, fault
            elif chance(random, 0.05):
                place, write = int(Register.LOG), 1
            change = {
                "rst": rst,
                "address": address,
                "inject__valid": valid,
                **{f"inject__{name}": value for name, value in words[0].items()},
                "eject__ready": chance(random, mood["eject"]),
                "control__address": place,
                "control__write": write,
                "control__write_data": data,
            }
            change |= links.next(mood)
            outputs = yield {name: value for name, value in change.items() if known(name)}
            links.saw(outputs)
            if valid and outputs["inject__ready"]:
                words.pop(0)


def there(config):
    """Return a function that says whether a router with these parameters has an input of a name."""
    absent = ["down"] * (not config.fault_tolerant) + ["ready_up"] * (config.runs == 1)
    of_links = ["kind"] * (not config.multicast) + ["r2"] * (not config.carries_r2)

    @functools.cache
    def known(name):
        return name.split("__")[-1] not in absent + of_links * name.startswith("link")

    return known


def watch(inputs, outputs, twin):
    """Name which ways words go, what is reported, and what closes."""
    n = twin.config.dim
    busy = recall(twin, not twin.quiet())
    if inputs["rst"]:
        if busy:
            yield "reset"
        return
    for j in range(n):
        if outputs[f"link_out__{j}__push"]:
            yield f"out {j}"
        if not outputs[f"link_in__{j}__ready"]:
            yield f"in {j} closed"
        elif twin.config.runs == 2 and not outputs[f"link_in__{j}__ready_up"]:
            raise AssertionError("open for all queues, and not for the second run")
    if outputs["eject__valid"]:
        yield "ejection" if inputs["eject__ready"] else "ejection stalls"
    if outputs["report__valid"]:
        yield CrosspointReason(outputs["report__reason"]).name
    if outputs["control__read_data"]:
        yield "register read"


def events(config, extra, options):
    """Return what can happen at such a router."""
    happen = ["reset", "ejection", "ejection stalls", "register read", *(reason.name for reason in reasons(config))]
    happen += [f"out {j}" for j in range(config.dim)] + [f"in {j} closed" for j in range(config.dim)]
    if config.fault_tolerant:
        happen += ["UNDELIVERABLE"]
        happen += ["INPUT_CUT", "PACKET_CUT"] * (config.packet_limit > 1)
    return tuple(happen)


BENCH = Bench(
    unit="crosspoint.router:CrosspointRouter",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
