"""The HTML report: one self-contained, escaped file."""
