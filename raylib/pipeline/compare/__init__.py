"""The comparison of two finished runs of one study (`jobs/compare.py`)."""
