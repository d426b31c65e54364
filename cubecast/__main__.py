"""``python -m cubecast``: the command line."""

import sys

from cubecast.cli import main

if __name__ == "__main__":
    sys.exit(main())
