"""Studies: the result figures and tables of the sources, made anew, with plots and a verdict on every claim.

What is needed to run them stands here; who runs studies imports nothing from inside.
"""

from cubecast.study.executor import available_cpus, open_executor
from cubecast.study.model import Study, StudyError, StudyFailure, Task
from cubecast.study.registry import all_studies, find_studies
from cubecast.study.result import claim_line, result_files
from cubecast.study.run import complete, run_study
from cubecast.study.store import Store

__all__ = [
    "Store",
    "Study",
    "StudyError",
    "StudyFailure",
    "Task",
    "all_studies",
    "available_cpus",
    "claim_line",
    "complete",
    "find_studies",
    "open_executor",
    "result_files",
    "run_study",
]
