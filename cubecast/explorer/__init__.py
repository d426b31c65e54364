"""The explorer: recordings of runs, and the page in which they are watched.

The page is one file with everything inside: the modules of this folder, as they are, as data URLs of an import map, and
the recording, packed. It asks no network for anything.
"""

from cubecast.explorer.page import page
from cubecast.explorer.recording import CYCLE, FORMAT, MODEL, STEP, VERSION, check, lines

__all__ = ["CYCLE", "FORMAT", "MODEL", "STEP", "VERSION", "check", "lines", "page"]
