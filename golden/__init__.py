"""Golden model of the cubecast hardware: pure Python and NumPy, at algorithm level and at cycle level."""

if __name__ != "cubecast.golden":
    # The folder is reachable under two names; the classes of one are not those of the other.
    raise ImportError(f"import cubecast.golden, not {__name__}")
