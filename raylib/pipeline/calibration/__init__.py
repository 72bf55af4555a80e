"""What `jobs/calibrate_judge.py` does: a sheet for people out of a run, and their labels back beside the judge's."""
