"""Tests of the crosspoint router."""
