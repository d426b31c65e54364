"""Tests of the board system."""
