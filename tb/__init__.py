"""Lockstep testbenches, simulator builds and the formal harness."""

__all__: list[str] = []

if __name__ != "cubecast.tb":
    # The folder is reachable under two names; the classes of one are not those of the other.
    raise ImportError(f"import cubecast.tb, not {__name__}")
