"""Hypercube multicast router: hardware generator, golden model and lockstep testbenches."""

__all__ = ["LICENSE", "__version__"]

__version__ = "0.1.0"

LICENSE = "BSD-2-Clause"
"""SPDX identifier of the licence, of what is generated too."""
