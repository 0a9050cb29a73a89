"""Tests of fits by workers."""
