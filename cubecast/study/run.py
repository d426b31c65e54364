"""One study from its tasks to its result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import BrokenExecutor, CancelledError, Executor, as_completed
from dataclasses import dataclass
from typing import Any

from cubecast.study.model import Claim, Outcome, Parameters, Point, Study, StudyFailure, Task
from cubecast.study.store import Store

__all__ = ["Result", "complete", "run_study"]

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Result:
    """What a study came to.

    Parameters
    ----------
    study : Study
        Which.
    parameters : dict
        What it was run with.
    seed : int
        What all random numbers come from.
    points : list of Point
        All curves.
    claims : list of Claim
        With their verdicts.
    """

    study: Study
    parameters: Parameters
    seed: int
    points: list[Point]
    claims: list[Claim]


def run_study(
    study: Study, executor: Executor, store: Store, *, quick: bool, seed: int, progress: Progress | None = None
) -> Result:
    """Compute what the store does not have yet, and evaluate the study; more runs, while they are to decide a claim.

    Parameters
    ----------
    study : Study
        Which.
    executor : Executor
        Does the work; the result does not depend on it.
    store : Store
        Has points, and gets the new ones.
    quick : bool
        Fewer points and runs.
    seed : int
        What all random numbers come from.
    progress : callable, optional
        ``progress(done, of)``, after each task.

    Raises
    ------
    StudyFailure
        Workers went away. What was done until then is kept.
    """
    tell = progress or (lambda done, of: None)
    extended: Parameters | None = study.parameters(quick)
    while extended is not None:
        parameters = extended
        tasks = study.tasks(parameters)
        complete(tasks, executor, store, seed, tell)
        points, claims = study.evaluate(parameters, [store.get(task, seed) for task in tasks])
        extended = None if quick else study.extended(parameters, claims)
    return Result(study, parameters, seed, points, claims)


def complete(tasks: list[Task], executor: Executor, store: Store, seed: int, tell: Progress) -> None:
    """Let the executor do the tasks that are not in the store; parameters and errors as for :func:`run_study`."""
    missing = [task for task in tasks if not store.has(task, seed)]
    done = len(tasks) - len(missing)
    tell(done, len(tasks))
    try:
        futures = {executor.submit(_call, task.function, seed, task.arguments): task for task in missing}
        for future in as_completed(futures):
            store.add(futures[future], seed, future.result())
            done += 1
            tell(done, len(tasks))
    except ModuleNotFoundError as error:
        raise StudyFailure(f"workers must have cubecast installed: {error}") from error
    except (BrokenExecutor, CancelledError) as error:
        raise StudyFailure("workers ended before their work was done; start again to go on from there") from error


def _call(function: Callable[..., Outcome], seed: int, arguments: Mapping[str, Any]) -> Outcome:
    """Do a task in a worker."""
    return function(seed, **arguments)
