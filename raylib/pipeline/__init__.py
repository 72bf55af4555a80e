"""The stages, and the only code that wires the other packages together."""
