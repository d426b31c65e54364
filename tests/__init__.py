"""Tests: what is built, run and compared."""
