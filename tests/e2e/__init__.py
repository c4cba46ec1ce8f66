"""Runs of real clients, offline: skipped where none is installed."""
