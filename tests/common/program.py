"""A program of a processor in a thread of its own, which stands still between its accesses.

What happens in a simulation depends on nothing but the seed: a program goes on when an access of it is answered, and
whoever answers waits for its next one.
"""

import traceback
from queue import SimpleQueue
from threading import Thread

__all__ = ["Program"]


class Program:
    """A program: a function that is called with this, in its thread.

    Parameters
    ----------
    number : int
        The node.
    """

    def __init__(self, number):
        self.number = number
        self.asked, self.answers = SimpleQueue(), SimpleQueue()
        self.access, self.failed = None, ""

    def begin(self, program):
        """Start the program, up to its first access."""
        Thread(target=self._run, args=(program,), daemon=True).start()
        self._answer(0)

    def _run(self, program):
        """Run the program, and say how it ended."""
        self.answers.get()
        try:
            program(self)
        except Exception as error:
            place = "".join(traceback.format_exception(error)[-2:])
            self.failed = f"node {self.number}: {place}"
        self.asked.put(None)

    def ask(self, *access):
        """Make an access, and return its answer; in the thread of the program."""
        self.asked.put(access)
        return self.answers.get()

    def pause(self, cycles=1):
        """Do nothing for some cycles; in the thread of the program."""
        for _ in range(cycles):
            self.ask("pause")

    def _answer(self, value):
        """End the access, and let the program run up to its next one; ``access`` is None when it has ended."""
        self.answers.put(value)
        self.access = self.asked.get()
