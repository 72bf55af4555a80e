"""Training on Ray: workers, checkpoints on the store, the check of the adapter, and its report."""
