"""Typed configuration: frozen models, YAML loading, overrides."""
