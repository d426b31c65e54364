"""Where tasks run: the one executor interface of ``concurrent.futures``, on this machine or on a Dask cluster."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from typing import Any
from urllib.parse import urlsplit

from cubecast.options.ending import AGAIN
from cubecast.study.model import StudyError, StudyFailure

__all__ = ["available_cpus", "local_executor", "open_executor"]

CONNECT_SECONDS = 10

MOST_GREETING = 1 << 20
"""Bytes that a scheduler's first words stay below: Dask would make room for whatever another service begins with."""

TERMINAL = (signal.SIGINT, signal.SIGHUP)
"""What a terminal sends to all processes at once, and this one alone has to hear: it ends the others."""


def available_cpus() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0))


@contextmanager
def open_executor(jobs: int, scheduler: str | None = None) -> Iterator[Executor]:
    """Give an executor for as long as it is wanted.

    Parameters
    ----------
    jobs : int
        Processes on this machine; 1 means this very process.
    scheduler : str, optional
        Address of a Dask scheduler such as ``tcp://node0:8786``, whose workers are used instead.

    Raises
    ------
    StudyError
        Nobody answers at the address.
    StudyFailure
        Dask is not installed.
    """
    with local_executor(jobs) if scheduler is None else _cluster(scheduler) as executor:
        yield executor


class _Processes(ProcessPoolExecutor):
    """Processes, each of which ends with a task that is given up: by itself it would begin the next one."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Hand on a task, for which a process may be started: it does not hear the terminal meanwhile."""
        # It would begin with the interrupt key let through again, in this process too.
        _track()
        with _deaf():
            return super().submit(_until_told, fn, *args, **kwargs)


@contextmanager
def _deaf() -> Iterator[None]:
    """Hold back what a terminal sends, in those that are started, and in this process all that ends it."""
    came: list[int] = []
    handlers = {}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, TERMINAL)
    try:
        # Threads of libraries let the signals through, and Python's handlers run in the main thread whatever it blocks.
        with suppress(ValueError):  # another thread than the main one
            for number in (*TERMINAL, signal.SIGTERM):
                handlers[number] = signal.signal(number, lambda number, frame: came.append(number))
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if came:
            signal.raise_signal(came[0])


def _track() -> None:
    """See to it that Python's tracker of semaphores runs: they are reported to it until the very end."""
    with _deaf():
        resource_tracker.ensure_running()


def _until_told(fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """Run a task; end the process if it is told to end, once the task has cleared away what it began."""
    try:
        return fn(*args, **kwargs)
    except SystemExit:
        os._exit(1)


@contextmanager
def local_executor(jobs: int) -> Iterator[Executor]:
    """Give an executor on this machine; work that has not begun when it closes is dropped."""
    executor: Executor
    if jobs == 1:
        executor = ThreadPoolExecutor(1)
    else:
        # Before the executor makes semaphores, and with them a tracker that hears the terminal.
        _track()
        context = multiprocessing.get_context("spawn")
        executor = _Processes(jobs, mp_context=context, initializer=_prepare)
    try:
        yield executor
    except KeyboardInterrupt:
        # What they are at is given up, and they clear away what they have begun.
        for worker in multiprocessing.active_children():
            worker.terminate()
        raise
    finally:
        executor.shutdown(cancel_futures=True)


def _prepare() -> None:
    """Let a worker end with its parent, leave the terminal to it, and give up its task when told to."""
    for number in TERMINAL:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, TERMINAL)
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    sys.unraisablehook = _tell_again
    threading.Thread(target=_follow_parent, daemon=True).start()


def _tell_again(ignored: sys.UnraisableHookArgs) -> None:
    """Tell this process once more to end if it heard that where Python ignores exceptions, such as in ``__del__``."""
    if isinstance(ignored.exc_value, SystemExit):
        timer = threading.Timer(AGAIN, os.kill, (os.getpid(), signal.SIGTERM))
        timer.daemon = True
        timer.start()
    else:
        sys.__unraisablehook__(ignored)


def _follow_parent() -> None:
    """End this process when its parent, even if killed, has ended."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _knock(address: str) -> None:
    """Raise ``OSError`` or ``ValueError`` unless a scheduler listens at an address; Dask would wait on."""
    url = urlsplit(address)
    if not url.scheme or not url.hostname or not url.port:
        raise ValueError(address)
    with socket.create_connection((url.hostname, url.port), timeout=CONNECT_SECONDS) as line:
        # Over plain TCP a scheduler is the first to speak, and begins with how many bytes follow.
        if url.scheme == "tcp":
            with line.makefile("rb") as said:
                begin = said.read(8)
            if len(begin) < 8 or int.from_bytes(begin, sys.byteorder) >= MOST_GREETING:
                raise ConnectionError(address)


@contextmanager
def _cluster(address: str) -> Iterator[Executor]:
    """Give the workers of a Dask scheduler as an executor."""
    try:
        from distributed import Client
    except ImportError:
        raise StudyFailure("scheduler needs Dask: pip install 'cubecast[cluster]'") from None
    # What goes wrong is told by exceptions; the library would also log it, over several lines.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    try:
        _knock(address)
        client: Any = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError, TypeError) as error:
        wanted = "scheduler must be the address of a Dask scheduler, such as tcp://node0:8786"
        raise StudyError(f"{wanted}; nobody answers at {address!r}") from error
    with client:
        executor: Executor = client.get_executor(pure=False)
        try:
            yield executor
        finally:
            executor.shutdown(wait=False)
