"""``cubecast``, and ``python -m cubecast``: the command line, from the first of its modules on."""

import os
import signal
import sys
from types import FrameType

__all__ = ["main"]


def main() -> int:
    """Run the command line; return its exit status."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)
    from cubecast.cli import main as run

    if signal.getsignal(signal.SIGINT) is _leave:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    return run()


def _leave(number: int, frame: FrameType | None) -> None:
    """End at once: while modules are loaded there is nothing yet to unwind, and no file is open."""
    os.write(2, b"cubecast: interrupted\n")
    os._exit(128 + number)


if __name__ == "__main__":
    sys.exit(main())
