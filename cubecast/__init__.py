"""Hypercube multicast router: hardware generator, golden model and lockstep testbenches."""

__all__ = ["__version__"]

__version__ = "0.1.0"
