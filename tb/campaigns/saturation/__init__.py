"""Saturation campaigns: millions of messages through the simulated RTL network, without cocotb and golden model."""
