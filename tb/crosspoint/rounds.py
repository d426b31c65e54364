"""Rounds of a network of crosspoint routers: its nodes send for a while, and then nothing moves any more."""

from cubecast.golden.common.contract.control import Register
from cubecast.golden.common.contract.units import ADDRESS_BITS, DATA_BITS
from cubecast.tb.common.patterns import chance, pack

__all__ = ["Faults", "until_rest"]


class Faults:
    """Fault vectors of all routers, through whose control ports links are cut and repaired.

    Parameters
    ----------
    random : Random
        The run's only source of randomness.
    config : CrosspointConfig
        Parameters of the routers.
    """

    def __init__(self, random, config):
        self.random, self.config = random, config
        self.vectors = [0] * config.nodes

    def access(self, probability, repair, log=0.0):
        """Return accesses to the control ports: reads, faults that come and go, and with ``repair`` that of all.

        ``log`` is the probability of a write to LOG, which takes the oldest entry away.
        """
        random, config, vectors = self.random, self.config, self.vectors
        write, data, addresses = 0, [0] * config.nodes, [0] * config.nodes
        for node in range(config.nodes):
            addresses[node] = random.randrange(1 << ADDRESS_BITS)
            if config.fault_tolerant and (repair or chance(random, probability)):
                vectors[node] = 0 if repair or vectors[node] else 1 << random.randrange(config.dim)
                addresses[node], data[node] = int(Register.FAULT), vectors[node]
                write |= 1 << node
            elif log and chance(random, log):
                addresses[node] = int(Register.LOG)
                write |= 1 << node
        return {
            "control_address": pack(addresses, ADDRESS_BITS),
            "control_write": write,
            "control_write_data": pack(data, DATA_BITS),
        }


def until_rest(config, nodes, access, drawing, calm, cycles, patience, drain=True, most=100):
    """Let the nodes send for so many cycles, then until nothing moves.

    Parameters
    ----------
    config : CrosspointConfig
        Parameters of the routers.
    nodes : object
        ``offer(mood, more)`` returns what they drive, ``more``: they may begin; ``see(change, outputs)`` takes note of
        what has moved and returns whether something has come to a node; ``valid`` is what they still offer.
    access : function
        Returns accesses to the control ports, given the probability of a fault and whether all are to be repaired.
    drawing : iterator
        Of moods.
    calm : dict
        The mood after them.
    cycles : int
        For how long the nodes begin to send.
    patience : int
        Cycles without a move after which nothing is under way.
    drain : bool
        Whether the round goes on until then; else it ends in the middle of the traffic, as soon as a link has a word.
    most : int
        How many times as long it may take, at most, until then.
    """
    cycle = quiet = pushed = 0
    while cycle < cycles or (quiet < patience if drain else not pushed):
        more = cycle < cycles or not drain
        mood = next(drawing) if more else calm
        change = nodes.offer(mood, more) | access(mood["fault"], drain and cycle == cycles)
        outputs = yield change
        moves = nodes.see(change, outputs) or outputs["report_valid"] or nodes.valid
        pushed = any(outputs[f"link_{j}_push"] for j in range(config.dim))
        quiet = 0 if moves or pushed else quiet + 1
        cycle += 1
        assert cycle < cycles + most * patience, "the network does not come to rest"
