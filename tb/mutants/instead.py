"""Instead: other code in place of a module's file, which stays as it is."""

from __future__ import annotations

import importlib.abc
import importlib.util
import sys
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

__all__ = ["Instead", "patience"]

PATIENCE = 5
"""What is changed may take as many times as long as it does unchanged, and no less than :data:`LEAST` seconds."""

LEAST = 60


def patience(seconds: float) -> int:
    """Return how long a mutant of what takes this long may take, in seconds."""
    return max(LEAST, round(PATIENCE * seconds))


class Instead(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Loads other code in place of a module's.

    Parameters
    ----------
    name : str
        The module.
    path : Path
        Its file.
    code : code
        What runs in its place.
    """

    def __init__(self, name: str, path: Path, code: CodeType) -> None:
        self.name, self.path, self.code = name, path, code

    def put(self, *kept: str) -> None:
        """Let this process load the project's modules anew, with the code in place; not those that begin so."""
        for name in [name for name in sys.modules if name.partition(".")[0] in ("cubecast", "tests")]:
            if not name.startswith(kept):
                del sys.modules[name]
        sys.meta_path.insert(0, self)

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        """Be asked for all modules, and answer for one."""
        if name != self.name:
            return None
        return importlib.util.spec_from_file_location(name, self.path, loader=self)

    def create_module(self, spec: Any) -> None:
        """Leave it to Python."""

    def exec_module(self, module: ModuleType) -> None:
        """Run the code."""
        exec(self.code, vars(module))
