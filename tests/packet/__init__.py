"""Tests of the packet router."""
