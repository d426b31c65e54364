"""The hardware of all systems in Amaranth: one public component per file."""

if __name__ != "cubecast.rtl":
    # The folder is reachable under two names; the classes of one are not those of the other.
    raise ImportError(f"import cubecast.rtl, not {__name__}")

from cubecast.rtl.common.amaranth_private import free_netlists, name_by_source, trust_nets

name_by_source()
trust_nets()
free_netlists()
