"""Tests of the bugs that are planted by a list."""
