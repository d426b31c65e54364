"""Tests of the shared units."""
