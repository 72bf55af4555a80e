"""What `jobs/stereotypes.py` does: search, sampling, coding sheets, agreement, clusters, from a run to files."""
