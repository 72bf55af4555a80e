"""Studies: each a folder with the same files (prompts, annotate, metrics, figures, data)."""
