"""What a run will take and what it will show, before it runs: from a pilot, or from assumptions that are named so."""
