"""How a command ends: its exit status, and one line on standard error for whatever went wrong."""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import NoReturn

from cubecast.options.usage import NoResultError, ToolError, UsageError

__all__ = ["AGAIN", "DONE", "FAILED", "GONE", "MISMATCH", "STATUSES", "USAGE", "concluded"]

DONE, MISMATCH, USAGE, FAILED = range(4)
GONE = 128 + signal.SIGPIPE

STATUSES = "2 bad usage; 3 a tool or the machine failed; 130 interrupted"
"""The exit statuses that all commands share, for their help texts."""

ENDING_SIGNALS = (signal.SIGTERM, signal.SIGHUP)
"""What else than the interrupt key asks a command to end."""

AGAIN = 0.01
"""Seconds after which a signal that was not heard is sent once more."""


class _Stopped(KeyboardInterrupt):
    """A signal that ends the command, whose number is the first argument."""


class _OutputError(Exception):
    """Standard output takes no more; the first argument is the system's error."""


class _Output(io.TextIOWrapper):
    """Standard output that tells its own errors from those of other files, and prints any name of a file."""

    def write(self, text: str) -> int:
        """Write a text, or raise :class:`_OutputError`."""
        try:
            return super().write(text)
        except OSError as error:
            raise _OutputError(error) from None

    def flush(self) -> None:
        """Write out what was printed, or raise :class:`_OutputError`."""
        try:
            super().flush()
        except OSError as error:
            raise _OutputError(error) from None


def concluded(prog: str, run: Callable[[], int], argv: Sequence[str]) -> int:
    """Run a command to its end, whatever that is; return the exit status.

    0 and 1 are the command's own; 1 with a line says that what was asked for does not exist. 2 says bad usage, 3 that a
    tool or the machine failed, 128 plus its number that a signal ended it: 130 for the interrupt key. What went wrong
    is said in a line on standard error, after which nothing else is; with ``--json`` among the arguments it is on
    standard output too, as ``{"error": LINE}``. A reader that leaves before all is written gets status 141 and no line.
    Only a fault of this program shows a traceback; it is status 3 too.

    Parameters
    ----------
    prog : str
        What the line begins with, unless the error knows better.
    run : function
        Does the work; returns 0 or 1.
    argv : sequence of str
        Arguments of the command.
    """
    as_json = "--json" in argv
    text = ""
    came: list[int] = []
    try:
        with _streams(), _signals(came), _heard(), _quiet():
            try:
                status = run()
            except SystemExit as stop:
                status = stop.code if isinstance(stop.code, int) else DONE
            except BrokenPipeError as error:  # of standard error
                raise _OutputError(error) from None
            except OSError as error:
                raise ToolError(_named(error)) from error
            sys.stdout.flush()
            return status
    except UsageError as error:
        prog, status, text = error.prog or prog, USAGE, str(error)
    except NoResultError as error:
        status, text = MISMATCH, str(error)
    except ToolError as error:
        status, text = FAILED, str(error)
    except MemoryError:
        status, text = FAILED, "the machine has not enough memory"
    except _OutputError as error:
        status, text, as_json = FAILED, f"standard output cannot be written: {error.args[0].strerror}", False
        if isinstance(error.args[0], BrokenPipeError):
            status, text = GONE, ""
        _let_go()
    except KeyboardInterrupt as error:
        status, text = 128 + (error.args[0] if isinstance(error, _Stopped) else signal.SIGINT), "interrupted"
    except Exception as error:
        if not came:
            traceback.print_exc()
        status, text = FAILED, f"a fault of this program: {type(error).__name__}"
    if came and status >= USAGE:
        # Libraries that are written in C, such as NumPy while it is loaded, make another exception of the signal's.
        status, text = 128 + came[0], "interrupted"
    if text:
        _say(f"{prog}: {text}", {"error": text} if as_json else None)
    return status


def _say(line: str, answer: object) -> None:
    """Print the last words, and the answer as JSON if there is one, wherever they can still be printed."""
    with contextlib.suppress(OSError):
        print(line, file=sys.stderr, flush=True)
    if answer is not None:
        try:
            print(json.dumps(answer), flush=True)
        except (OSError, _OutputError):
            _let_go()


def _named(error: OSError) -> str:
    """Return the line about an error of the system that nobody has explained."""
    names = " to ".join(repr(str(name)) for name in (error.filename, error.filename2) if name is not None)
    return ": ".join(part for part in (names, error.strerror or str(error)) if part)


def _let_go() -> None:
    """Let what can no longer be printed go nowhere: Python tries once more when it ends."""
    with contextlib.suppress(OSError, io.UnsupportedOperation):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)


@contextlib.contextmanager
def _streams() -> Iterator[None]:
    """Refuse a closed standard output, and do without a closed standard error.

    A file that is opened takes the lowest number that is free: it would be the standard output of every program that
    is started.
    """
    closed = sys.stdout is None
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    if sys.stderr is None:
        sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115
    if closed:
        sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115
        raise ToolError("standard output is closed")
    if sys.stdout is sys.__stdout__:
        old = sys.__stdout__
        lines = old.line_buffering
        sys.stdout = _Output(
            old.buffer, old.encoding, "backslashreplace", line_buffering=lines, write_through=old.write_through
        )
    yield


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """After an error, let no warning tell of objects that were being made and are now unused."""
    try:
        yield
    except BaseException:
        warnings.simplefilter("ignore")
        raise


@contextlib.contextmanager
def _signals(came: list[int]) -> Iterator[None]:
    """Let signals that end a command unwind it first, so that it leaves neither processes nor files behind.

    Those that come are noted in ``came``.
    """

    def stop(number: int, frame: object) -> NoReturn:
        came.append(number)
        raise _Stopped(number)

    before = {}
    with contextlib.suppress(ValueError):  # another thread than the main one
        for number in (signal.SIGINT, *ENDING_SIGNALS):
            if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
                before[number] = signal.signal(number, stop)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def _heard() -> Iterator[None]:
    """Send a signal once more whose exception came where Python ignores all of them, such as in ``__del__``."""
    before = sys.unraisablehook
    sent: list[threading.Timer] = []

    def hook(ignored: sys.UnraisableHookArgs) -> None:
        if isinstance(error := ignored.exc_value, KeyboardInterrupt):
            number = error.args[0] if isinstance(error, _Stopped) else signal.SIGINT
            sent.append(threading.Timer(AGAIN, os.kill, (os.getpid(), number)))
            sent[-1].start()
        else:
            before(ignored)

    sys.unraisablehook = hook
    try:
        yield
    finally:
        sys.unraisablehook = before
        for timer in sent:
            timer.cancel()
