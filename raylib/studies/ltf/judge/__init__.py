"""The judge of an essay: what it is asked, how its answer is read, and how several judges are put together."""
