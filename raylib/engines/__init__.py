"""Engines: one interface, several ways to run a model."""
