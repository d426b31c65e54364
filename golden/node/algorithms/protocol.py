"""Messages between node interfaces, without cycles: offers, answers and rewinds in any order that packets may come in.

The model holds what the interfaces of all nodes know, and what is on its way between them. An *action* is an
instruction of a node's program, an offer that a source makes, or the arrival of one group of packets or of one control
packet. Whichever action can happen next may happen next, so that a run of the hardware is one of the runs of the model.
Every match is checked against the order guarantees when it is made.

Source: Buzzard 1988, sections 4.1.1 and 5.1.1 to 5.1.2; postponed messages and their rewinds are this project's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from cubecast.golden.node.algorithms.protocol_state import (
    ANY,
    ANY_SYSTEM,
    SYSTEM,
    Action,
    Chain,
    Control,
    Instruction,
    Joint,
    Limits,
    Message,
    OrderError,
    Piece,
    Receive,
    Receiver,
    Release,
    Send,
    State,
    Wait,
)

__all__ = ["ProtocolModel"]


class ProtocolModel:
    """The programs of all nodes, and what can happen while they run.

    Parameters
    ----------
    programs : sequence
        The instructions of every node.
    limits : Limits
        What its interface has.
    """

    def __init__(self, programs: Sequence[Sequence[Instruction]], limits: Limits | None = None) -> None:
        self.programs = [tuple(program) for program in programs]
        self.limits = limits or Limits()
        self.nodes = len(self.programs)
        self.messages: dict[tuple[int, int], Message] = {}
        self.streams: dict[tuple[int, int, bool], tuple[Message, ...]] = {}
        for source, program in enumerate(self.programs):
            for step, instruction in enumerate(program):
                if isinstance(instruction, Send):
                    message = Message(source, step, *instruction)
                    self.messages[source, step] = message
                    for node in message.to:
                        stream = source, node, message.broadcast
                        self.streams[stream] = (*self.streams.get(stream, ()), message)

    def start(self) -> State:
        """Return the state in which nothing has happened."""
        return State(
            [0] * self.nodes,
            [Receiver(self.limits.buffers) for _ in self.programs],
            {(source, node): Chain() for source, node, broadcast in self.streams if not broadcast},
            [Joint() for _ in self.programs],
            {},
            Counter(),
            frozenset(),
            self.limits.timeouts,
        )

    # What can happen.

    def actions(self, state: State) -> list[Action]:
        """Return all that can happen next."""
        found = [Action("step", (node,)) for node in range(self.nodes) if self._goes_on(state, node)]
        for place, chain in state.chains.items():
            if not chain.offered and not chain.stop and chain.cursor < len(chain.blocks):
                found.append(Action("offer", place))
            through = chain.stop or chain.cursor == len(chain.blocks)
            if not chain.offered and chain.blocks and through and state.timeouts:
                found.append(Action("timeout", place))
        for source, joint in enumerate(state.joints):
            if joint.blocks and joint.phase == "idle":
                found.append(Action("broadcast", (source,)))
            if joint.phase == "open" and state.timeouts:
                found.append(Action("again", (source,)))
        for way, queue in state.pieces.items():
            if self._enters(state, queue[0], way[0]):
                found.append(Action("data", way))
        found += [Action("control", (number,)) for number in range(len(state.control))]
        return found

    def _goes_on(self, state: State, node: int) -> bool:
        """Return whether a program has a next step that does not wait."""
        step = state.steps[node]
        if step == len(self.programs[node]):
            return False
        instruction = self.programs[node][step]
        if not isinstance(instruction, Wait):
            return True
        return all(
            self.completion(state, node, other) >= (1 if instruction.started else 3) for other in instruction.steps
        )

    def _enters(self, state: State, piece: Piece, node: int) -> bool:
        """Return whether the input port takes what stands before it: always, but by the rule of the source."""
        if self.limits.postpone or piece.kind != "first":
            return True
        receiver = state.receivers[node]
        return self.oldest(receiver, node, piece.message) is not None or self.buffered(receiver, piece)

    def take(self, state: State, action: Action) -> None:
        """Change a state by an action that can happen in it.

        Raises
        ------
        OrderError
            A match breaks the order, or an answer is to nothing that was asked.
        """
        if action.kind == "step":
            self._step(state, *action.place)
        elif action.kind == "offer":
            self._offer(state, *action.place)
        elif action.kind == "timeout":
            state.timeouts -= 1
            source, node = action.place
            state.chains[source, node] = self.rewound(state.chains[source, node])
        elif action.kind == "broadcast":
            self._broadcast(state, *action.place)
        elif action.kind == "again":
            state.timeouts -= 1
            self._again(state, action.place[0], unasked=True)
        elif action.kind == "data":
            queue = state.pieces.pop(action.place)
            if queue[1:]:
                state.pieces[action.place] = queue[1:]
            self._arrive(state, action.place[0], queue[0])
        else:
            packet = list(state.control)[action.place[0]]
            state.control[packet] -= 1
            if not state.control[packet]:
                del state.control[packet]
            self._answer(state, packet)

    def completion(self, state: State, node: int, step: int) -> int:
        """Return the completion flag of a step: 0 waiting, 1 in progress, 3 complete."""
        instruction = self.programs[node][step]
        if step >= state.steps[node]:
            return 0
        if isinstance(instruction, Send):
            message = self.messages[node, step]
            return 3 if self.left(state, message) == 0 else int(message in state.begun)
        if isinstance(instruction, Receive):
            receiver = state.receivers[node]
            got = receiver.match(step)
            if step in receiver.refused or got in receiver.stored:
                return 3
            # What a receive has from a buffer has no progress of its own.
            return int(got in receiver.storing and got not in receiver.attached and step not in receiver.lent)
        return 3

    def left(self, state: State, message: Message) -> int:
        """Return at how many nodes a message is not known, at its source, to be stored."""
        if message.broadcast:
            joint = state.joints[message.source]
            if message not in joint.blocks:
                return 0
            return len(message.to) - (len(joint.done) if message == joint.blocks[0] else 0)
        return sum(message in state.chains[message.source, node].blocks for node in message.to)

    # The source.

    def _step(self, state: State, node: int) -> None:
        """Execute the next instruction of a program."""
        step = state.steps[node]
        instruction = self.programs[node][step]
        state.steps[node] += 1
        if isinstance(instruction, Send):
            message = self.messages[node, step]
            if message.broadcast:
                joint = state.joints[node]
                state.joints[node] = joint._replace(blocks=(*joint.blocks, message))
            else:
                for other in message.to:
                    chain = state.chains[node, other]
                    state.chains[node, other] = chain._replace(blocks=(*chain.blocks, message))
        elif isinstance(instruction, Receive):
            self._post(state, node, step)
        elif isinstance(instruction, Release):
            receiver = state.receivers[node]
            if instruction.step in receiver.lent and self.completion(state, node, instruction.step) == 3:
                state.change(node, lent=receiver.lent - {instruction.step})
                self._freed(state, node)
            else:
                state.change(node, wrong=receiver.wrong | {step})

    def _send(self, state: State, node: int, piece: Piece) -> None:
        """Put a piece on its way to a node."""
        message = piece.message
        way = (node, message.source, int(message.broadcast)) if self.limits.postpone else (node,)
        state.pieces[way] = (*state.pieces.get(way, ()), piece)

    def _offer(self, state: State, source: int, node: int) -> None:
        """Offer the message at the cursor: its first packet, and some behind it if it was never refused."""
        chain = state.chains[source, node]
        message = chain.blocks[chain.cursor]
        asked = 1 if message in chain.postponed else self.limits.eager
        piece = Piece(
            message,
            "first",
            self.limits.packets(message.length) <= asked,
            behind=chain.cursor > 0,
            rest=self.others_wait(chain, message),
            mark=chain.mark,
        )
        state.begun |= {message}
        state.chains[source, node] = chain._replace(offered=True, mark=False)
        self._send(state, node, piece)

    def others_wait(self, chain: Chain, message: Message) -> bool:
        """Return whether other messages of a chain were postponed: REST."""
        return bool(chain.postponed - {message})

    def _broadcast(self, state: State, source: int) -> None:
        """Begin the first round of a broadcast."""
        joint = state.joints[source]
        message = joint.blocks[0]
        state.begun |= {message}
        state.joints[source] = Joint(joint.blocks, "first")
        for node in message.to:
            self._send(state, node, Piece(message, "first", self.limits.packets(message.length) <= self.limits.eager))

    def _again(self, state: State, source: int, unasked: bool = False) -> None:
        """Send a further round of a broadcast; ``unasked``: nobody has to answer, so who has stored it does."""
        message = state.joints[source].blocks[0]
        for node in message.to:
            self._send(state, node, Piece(message, "again", True, behind=unasked))

    def rewound(self, chain: Chain) -> Chain:
        """Return a chain that a rewind came to: it begins anew, when no offer is open."""
        if chain.offered:
            return chain._replace(again=True)
        return chain._replace(cursor=0, stop=False, again=False, mark=True)

    def _answer(self, state: State, packet: Control) -> None:
        """Take a control packet at the source."""
        message = packet.message
        if message is not None and message.broadcast:
            self._joint_answer(state, packet, message)
            return
        place = packet.source, packet.node
        chain = state.chains[place]
        if packet.kind == "rewind":
            state.chains[place] = self.rewound(chain)
            return
        if not chain.offered or message is None or chain.blocks[chain.cursor] != message:
            raise OrderError(f"node {packet.node} answers {packet.kind} to what was not offered: {message}")
        if packet.kind == "accept":
            self._send(state, packet.node, Piece(message, "rest", True))
            return
        if packet.kind == "done":
            blocks = chain.blocks[: chain.cursor] + chain.blocks[chain.cursor + 1 :]
            chain = chain._replace(blocks=blocks, postponed=chain.postponed - {message}, offered=False)
        else:
            chain = chain._replace(
                cursor=chain.cursor + 1, stop=packet.stop, postponed=chain.postponed | {message}, offered=False
            )
        state.chains[place] = self.rewound(chain) if chain.again else chain

    def _joint_answer(self, state: State, packet: Control, message: Message) -> None:
        """Take the answer to a broadcast."""
        source, node = {packet.node}, packet.source
        joint = state.joints[node]
        if not joint.blocks or joint.blocks[0] != message or joint.phase == "idle":
            if packet.kind == "rewind" or (packet.kind == "done" and message not in joint.blocks):
                # Who called for it has stored a round meanwhile; who was asked once more has been heard before.
                return
            raise OrderError(f"node {packet.node} answers {packet.kind} to what was not broadcast: {message}")
        if packet.kind == "done":
            joint = joint._replace(accepted=joint.accepted - source, done=joint.done | source)
        elif packet.kind == "accept":
            joint = joint._replace(accepted=joint.accepted | source)
        elif packet.kind == "postpone":
            joint = joint._replace(postponed=joint.postponed | source)
        else:
            joint = joint._replace(rewound=joint.rewound | source)
        state.joints[node] = self._follow_up(state, joint)

    def _follow_up(self, state: State, joint: Joint) -> Joint:
        """Send what follows when all have answered that had to."""
        message = joint.blocks[0]
        everyone = frozenset(message.to)
        if joint.phase == "first" and joint.accepted | joint.postponed | joint.done != everyone:
            return joint
        if joint.phase == "first" and joint.accepted:
            for node in message.to:
                self._send(state, node, Piece(message, "rest", True))
            return joint._replace(phase="rest")
        if joint.accepted or not joint.called <= joint.done:
            return joint
        if joint.done == everyone:
            return Joint(joint.blocks[1:])
        called = self.called(joint)
        if not called:
            return joint._replace(phase="open")
        self._again(state, message.source)
        return joint._replace(phase="again", called=called)

    def called(self, joint: Joint) -> frozenset[int]:
        """Return whom a further round is for: all that have a place by now, and have nothing stored."""
        return joint.rewound - joint.done

    # The receiver.

    def accepts(self, node: int, step: int, message: Message) -> bool:
        """Return whether the receive of a step fits a message."""
        receive = self.programs[node][step]
        assert isinstance(receive, Receive)
        if receive.source not in (ANY, message.source):
            return False
        return receive.type in (message.type, ANY_SYSTEM if message.type >= SYSTEM else ANY)

    def oldest(self, receiver: Receiver, node: int, message: Message) -> int | None:
        """Return the step of the receive posted first of all that fit a message."""
        return next((step for step in receiver.expected if self.accepts(node, step, message)), None)

    def has_buffer(self, receiver: Receiver, kind: int) -> bool:
        """Return whether the pool has a buffer for messages, or receives, of a type."""
        system = kind >= SYSTEM or kind == ANY_SYSTEM
        return receiver.free > (0 if system else self.limits.reserved)

    def buffered(self, receiver: Receiver, piece: Piece) -> bool:
        """Return whether a message that no receive waits for goes into a buffer."""
        message = piece.message
        return (
            not piece.behind and message.length <= self.limits.buffer_bytes and self.has_buffer(receiver, message.type)
        )

    def _matched(self, state: State, node: int, step: int, message: Message) -> None:
        """Note a match, and check that it keeps the order.

        Raises
        ------
        OrderError
            An older receive fits the message (O2), or an older message of its stream fits the receive (O1).
        """
        receiver = state.receivers[node]
        older = [other for other in receiver.expected if other < step and self.accepts(node, other, message)]
        if older:
            raise OrderError(f"receive {step} of node {node} takes {message} before receive {older[0]}")
        for before in self.streams[message.source, node, message.broadcast]:
            if before == message:
                break
            if receiver.receive(before) is None and self.accepts(node, step, before):
                raise OrderError(f"receive {step} of node {node} takes {message} before {before}")
        state.change(node, taken=tuple(sorted((*receiver.taken, (message, step)))))

    def place(self, state: State, node: int, piece: Piece) -> bool:
        """Find a receive or a buffer for a message that is offered; return whether there is one."""
        receiver, message = state.receivers[node], piece.message
        step = self.oldest(receiver, node, message)
        if step is not None:
            expected = tuple(other for other in receiver.expected if other != step)
            self._matched(state, node, step, message)
            state.change(node, expected=expected)
            return True
        if self.buffered(receiver, piece):
            state.change(node, free=receiver.free - 1, unclaimed=(*receiver.unclaimed, message))
            return True
        return False

    def _post(self, state: State, node: int, step: int) -> None:
        """Post a receive: for a message that is here already, for one that is kept elsewhere, or for one to come."""
        receive = self.programs[node][step]
        assert isinstance(receive, Receive)
        receiver = state.receivers[node]
        for message in receiver.unclaimed:
            if self.accepts(node, step, message):
                self._matched(state, node, step, message)
                state.change(node, unclaimed=tuple(other for other in receiver.unclaimed if other != message))
                if receive.room is None:
                    state.change(node, lent=receiver.lent | {step})
                elif message in receiver.stored:
                    self._freed(state, node)
                else:
                    state.change(node, attached=receiver.attached | {message})
                return
        if receive.room is None:
            if not self.has_buffer(receiver, receive.type):
                state.change(node, refused=receiver.refused | {step})
                return
            receiver = state.change(node, free=receiver.free - 1, lent=receiver.lent | {step})
        for message in receiver.held:
            if self.accepts(node, step, message):
                self._matched(state, node, step, message)
                self.ready(state, node, message)
                return
        state.change(node, expected=(*receiver.expected, step))
        for source in sorted(receiver.owing):
            if receive.source in (ANY, source):
                self._rewind(state, node, source)

    def ready(self, state: State, node: int, message: Message) -> None:
        """Ask for a further round of a broadcast that has a place now."""
        receiver = state.receivers[node]
        held = tuple(other for other in receiver.held if other != message)
        state.change(node, held=held, ready=receiver.ready | {message})
        state.control[Control("rewind", node, message.source, message)] += 1

    def _rewind(self, state: State, node: int, source: int) -> None:
        """Ask a source to offer anew what it keeps, unless it is being asked."""
        receiver = state.receivers[node]
        if source not in receiver.rewinding:
            state.change(node, rewinding=receiver.rewinding | {source})
            state.control[Control("rewind", node, source, None)] += 1

    def _freed(self, state: State, node: int) -> None:
        """Give a buffer back; who waits for one is told, each time, as the hardware does."""
        state.change(node, free=state.receivers[node].free + 1)
        self.refilled(state, node)

    def refilled(self, state: State, node: int) -> None:
        """Serve the broadcasts held; if a buffer is left, ask for what is kept elsewhere."""
        for message in state.receivers[node].held:
            receiver = state.receivers[node]
            if self.buffered(receiver, Piece(message, "first", True)):
                state.change(node, free=receiver.free - 1, unclaimed=(*receiver.unclaimed, message))
                self.ready(state, node, message)
        receiver = state.receivers[node]
        if receiver.free:
            for source in sorted(receiver.owing):
                self._rewind(state, node, source)

    def outdated(self, receiver: Receiver, piece: Piece) -> bool:
        """Return whether an offer was made before a rewind that is on its way: it must not overtake what waits."""
        return piece.message.source in receiver.rewinding

    def stops(self, receiver: Receiver) -> bool:
        """Return whether no receive is posted at all, so that nothing else need be offered: STOP."""
        return not receiver.expected

    def _arrive(self, state: State, node: int, piece: Piece) -> None:
        """Take a piece from the network, and answer."""
        message, receiver = piece.message, state.receivers[node]
        if piece.kind != "first":
            self._continue(state, node, piece)
            return
        if piece.mark:
            receiver = state.change(node, rewinding=receiver.rewinding - {message.source})
        refused = not message.broadcast and self.outdated(receiver, piece)
        placed = not refused and self.place(state, node, piece)
        owing = receiver.owing
        if not message.broadcast:
            source = {message.source}
            owing = owing | source if piece.rest or not placed else owing - source
            state.change(node, owing=owing)
        elif not placed:
            state.change(node, held=(*receiver.held, message))
        if placed and piece.whole:
            self._complete(state, node, message)
        elif placed:
            state.change(node, storing=receiver.storing | {message})
            state.control[Control("accept", node, message.source, message)] += 1
        else:
            stop = not message.broadcast and self.stops(receiver)
            state.control[Control("postpone", node, message.source, message, stop)] += 1

    def _continue(self, state: State, node: int, piece: Piece) -> None:
        """Take the rest of a message, or a further round; a node without a place for it drops it."""
        receiver, message = state.receivers[node], piece.message
        if piece.kind == "rest" and message in receiver.storing:
            state.change(node, storing=receiver.storing - {message})
            self._complete(state, node, message)
        elif piece.kind == "again" and message in receiver.ready:
            state.change(node, ready=receiver.ready - {message})
            self._complete(state, node, message)
        elif piece.kind == "again" and piece.behind and message in receiver.stored:
            state.control[Control("done", node, message.source, message)] += 1

    def _complete(self, state: State, node: int, message: Message) -> None:
        """Note that all of a message is stored, and say so."""
        receiver = state.receivers[node]
        if message in receiver.stored:
            raise OrderError(f"node {node} stores {message} twice")
        state.change(node, stored=receiver.stored | {message}, attached=receiver.attached - {message})
        state.control[Control("done", node, message.source, message)] += 1
        if message in receiver.attached:
            self._freed(state, node)
