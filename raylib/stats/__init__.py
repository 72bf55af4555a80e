"""Statistics as pure functions on arrays: numpy and scipy only."""
