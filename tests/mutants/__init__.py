"""Tests of the mutants."""
