"""The bit-parallel engine: a netlist as C++ that evaluates 64 copies at once."""
