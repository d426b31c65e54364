"""A network of nodes with the ports of the real one, in which the message-level model moves the messages.

Processors, memories and what is told of a run are tested against it without any hardware: it reads nothing from memory,
and writes flags, blocks and data as a node interface does, in the order that a node interface keeps.
"""

import random
from collections import deque

from cubecast.golden.common.twins.ports import join, split
from cubecast.golden.node.algorithms.program_run import instruction
from cubecast.golden.node.algorithms.programs import DOORBELLS, refusal
from cubecast.golden.node.algorithms.protocol import ProtocolModel
from cubecast.golden.node.algorithms.protocol_state import Limits
from cubecast.golden.node.contract.block import COMPLETE, STARTED, TAKEN_BIT, Status, Word
from cubecast.golden.node.contract.registers import Interrupt, Register
from cubecast.tb.node.follower import Message
from cubecast.tb.node.program_run import INPUTS, OUTPUTS

__all__ = ["StandIn", "play"]

TAKEN = 1 << TAKEN_BIT


class Interface:
    """What one node writes, one word after the other, and its registers."""

    def __init__(self):
        self.queue, self.waiting = deque(), False
        self.events, self.pending, self.told = deque(), 0, False
        self.ranges, self.early, self.read = {}, 0, 0
        self.doorbells, self.numbers, self.lent, self.number_of = [], [], {}, {}
        self.free = self.least = 0
        self.freed = set()

    def write(self, address, value):
        """Write a word when everything before is written."""
        self.queue.append((address // 4, value, 15))

    def data(self, address, data):
        """Write bytes from an aligned address on."""
        for place in range(0, len(data), 4):
            part = data[place : place + 4]
            self.queue.append((address // 4 + place // 4, int.from_bytes(part, "little"), (1 << len(part)) - 1))

    def event(self, reason, status=0, source=0, value=0):
        """Tell something, at once."""
        self.events.append((1 << 31 | reason << 24 | status << 16 | source, value))
        self.pending |= 1 << reason

    def show(self):
        """Return the outputs of a cycle."""
        shown = dict.fromkeys(OUTPUTS, 0) | {"doorbell_ready": 1, "early": self.early, "irq": int(self.pending != 0)}
        while self.queue and callable(self.queue[0]):
            self.queue.popleft()()
        if self.queue and not self.waiting:
            names = ("write_address", "write_data", "write_strobe")
            shown |= {"write_valid": 1} | dict(zip(names, self.queue[0], strict=True))
        return shown | {"control_read_data": self.read}

    def take(self, given, shown):
        """Take the inputs of a cycle."""
        if shown["write_valid"] and given["write_ready"]:
            self.waiting = True
        elif given["done"]:
            self.waiting = False
            self.queue.popleft()
        if given["doorbell_valid"]:
            self.doorbells.append(given["doorbell_address"])
        address, write = given["control_address"], given["control_write"]
        event = self.events[0] if self.events else (0, 0)
        registers = {Register.EVENT: event[0], Register.EVENT_VALUE: event[1]}
        registers |= {Register.FREE: self.free, Register.LEAST_FREE: self.least}
        self.read = registers.get(address, 0)
        if write and address == Register.IRQ_STATUS:
            self.pending, self.told = self.pending & ~given["control_write_data"], False
        if write and address == Register.EVENT and self.events:
            self.events.popleft()
        first, size = given["watch_address"], 1 << given["watch_size"]
        hit = any(first <= end - 1 and first + size > start for start, end in self.ranges.values())
        self.early = int(given["watch_valid"] and hit)
        if self.early and not self.told:
            self.told = True
            self.event(Interrupt.EARLY_READ, value=first)


class StandIn:
    """All nodes of a run, and the model."""

    def __init__(self, run, seed=0, busy=0.3):
        self.run, self.config, self.busy, self.random = run, run.config, busy, random.Random(seed)
        programs = enumerate(run.programs)
        own = [[instruction(step, node, run.config) for step in program] for node, program in programs]
        self.model = ProtocolModel(own, Limits.of(run.config))
        self.state = self.model.start()
        self.nodes = [Interface() for _ in run.programs]
        for interface in self.nodes:
            interface.numbers = list(range(self.config.buffers))
        self.flags, self.stored = {}, set()
        self._count()

    def quiet(self):
        """Return whether nothing can happen."""
        return not self._actions() and not any(interface.queue for interface in self.nodes)

    def step(self, inputs):
        """Return this cycle's outputs, and take the edge."""
        shown = [interface.show() for interface in self.nodes]
        given = {name: split(inputs[name], width, len(self.nodes)) for name, width in INPUTS.items()}
        for node, interface in enumerate(self.nodes):
            interface.take({name: values[node] for name, values in given.items()}, shown[node])
        if self.random.random() < self.busy:
            actions = self._actions()
            if actions:
                self.model.take(self.state, self.random.choice(actions))
                for node in range(len(self.nodes)):
                    self._follow(node)
                self._count()
        return {name: join((own[name] for own in shown), width) for name, width in OUTPUTS.items()}

    def _actions(self):
        """Return what can happen: a step that rings a doorbell only when it has been rung."""
        found = []
        for action in self.model.actions(self.state):
            if action.kind == "step":
                (node,) = action.place
                program, index = self.run.programs[node], self.state.steps[node]
                before = sum(step.do in DOORBELLS for step in program[:index])
                if program[index].do in DOORBELLS and before >= len(self.nodes[node].doorbells):
                    continue
            found.append(action)
        return found

    def _count(self):
        """Keep how many buffers are free."""
        for interface, receiver in zip(self.nodes, self.state.receivers, strict=True):
            interface.least = min(interface.least, receiver.free) if self.flags or self.stored else receiver.free
            interface.free = receiver.free

    def _message(self, message):
        """Return a message as the follower has it."""
        return Message(message.source, self.run.layouts[message.source].slots[message.step].buffer)

    def _content(self, message):
        """Return its bytes."""
        return self.run.programs[message.source][message.step].content()

    def _follow(self, node):
        """Do what is new at a node."""
        interface, receiver, layout = self.nodes[node], self.state.receivers[node], self.run.layouts[node]
        follower, program = self.run.follower, self.run.programs[node]
        self._free(node)
        for message in receiver.unclaimed:
            if message not in interface.number_of:
                interface.number_of[message] = interface.numbers.pop(0)
                fields = (message.source, message.type, message.length)
                follower.buffered(node, self._message(message), interface.number_of[message], fields)
        for message, step in receiver.taken:
            block = layout.slots[step].block
            if block in follower.matched[node]:
                continue
            if message not in interface.number_of:
                follower.taken(node, self._message(message), block)
                continue
            number = interface.number_of[message]
            follower.claimed(node, number, block)
            if program[step].room is None:
                interface.lent[step] = number
        for step in receiver.lent:
            if step not in interface.lent:
                interface.lent[step] = interface.numbers.pop(0)
        for message in receiver.stored:
            if (node, message) not in self.stored:
                self.stored.add((node, message))
                self._store(node, message)
        for index in range(min(self.state.steps[node], len(program))):
            self._flag(node, index)

    def _free(self, node):
        """Take back the buffers that are free since this action; it may give them to others."""
        interface, receiver, program = self.nodes[node], self.state.receivers[node], self.run.programs[node]
        for message, step in receiver.taken:
            copied = program[step].room is not None and message in receiver.stored
            if copied and message in interface.number_of and message not in interface.freed:
                interface.freed.add(message)
                interface.numbers.append(interface.number_of[message])
        for index in range(min(self.state.steps[node], len(program))):
            if program[index].do == "release" and index not in receiver.wrong and index not in interface.freed:
                interface.freed.add(index)
                interface.numbers.append(interface.lent[program[index].steps[0]])

    def _store(self, node, message):
        """Write the bytes of a message that is complete, where it has its place."""
        interface, step = self.nodes[node], self.state.receivers[node].receive(message)
        number = interface.number_of.get(message)
        if number is not None:
            interface.data(self._buffer(node, number), self._content(message))
            interface.queue.append(lambda: self.run.follower.kept(node, number))
        if message.type >> 15:
            told = {"source": message.source, "value": message.type}
            interface.queue.append(lambda: interface.event(Interrupt.SYSTEM_MESSAGE, **told))
        assert step is not None or number is not None

    def _buffer(self, node, number):
        """Return the address of a system buffer."""
        return self.run.layouts[node].system + number * self.config.buffer_bytes

    def _flag(self, node, index):
        """Write a block whose flag changes."""
        program, interface = self.run.programs[node], self.nodes[node]
        step = program[index]
        flag, before = self.model.completion(self.state, node, index), self.flags.get((node, index))
        if step.do not in DOORBELLS or flag == before:
            return
        self.flags[node, index] = flag
        if step.do == "release":
            self._release(node, index)
            return
        slot, refused = self.run.layouts[node].slots[index], refusal(step, node, self.config)
        if refused is None and index in self.state.receivers[node].refused:
            refused = Status.NO_BUFFER
        if refused is not None:
            interface.write(slot.block + 4 * Word.FLAG, COMPLETE | refused << 8)
            value = {"status": refused, "value": slot.block}
            interface.queue.append(lambda: interface.event(Interrupt.BAD_OPERAND, **value))
        elif step.sends and flag:
            interface.write(slot.block + 4 * Word.FLAG, flag | (TAKEN if flag == STARTED else 0))
        elif flag:
            self._receive(node, index, flag, before)

    def _receive(self, node, index, flag, before):
        """Write block and data of a receive that has begun, or is complete."""
        interface, step = self.nodes[node], self.run.programs[node][index]
        slot, message = self.run.layouts[node].slots[index], self.state.receivers[node].match(index)
        lent = interface.lent.get(index)
        address, room = slot.buffer, step.room
        if room is None:
            address, room = self._buffer(node, lent), self.config.buffer_bytes
        if not before:
            words = ((Word.PARTNER, message.source), (Word.TYPE, message.type), (Word.LENGTH, message.length))
            for word, value in (*words, (Word.BUFFER, address)):
                interface.write(slot.block + 4 * word, value)
        if flag == STARTED:
            last = address + min(room, message.length)
            interface.queue.append(lambda: interface.ranges.update({index: (address, last)}))
            interface.write(slot.block + 4 * Word.FLAG, TAKEN | STARTED)
            return
        if lent is None or message not in interface.number_of:
            interface.data(address, self._content(message)[:room])
        interface.queue.append(lambda: interface.ranges.pop(index, None))
        status = Status.TRUNCATED if message.length > room else Status.OK
        interface.write(slot.block + 4 * Word.FLAG, COMPLETE | status << 8)

    def _release(self, node, index):
        """Answer a release."""
        interface = self.nodes[node]
        wrong = index in self.state.receivers[node].wrong
        address = interface.doorbells[sum(step.do in DOORBELLS for step in self.run.programs[node][:index])]
        interface.queue.append(lambda: self.run.processors[node].released(self.run.clock, not wrong))
        if wrong:
            value = {"status": Status.BAD_RELEASE, "value": address}
            interface.queue.append(lambda: interface.event(Interrupt.BAD_OPERAND, **value))


def play(run, network):
    """Run programs on a network to the end; return the result."""
    inputs, stimulus = dict.fromkeys(INPUTS, 0), run.cycles(network.quiet)
    change = next(stimulus)
    while change is not None:
        inputs |= change
        try:
            change = stimulus.send(network.step(inputs))
        except StopIteration:
            change = None
    return run.result() | {"golden": "match"}
