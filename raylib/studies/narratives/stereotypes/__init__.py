"""Stereotypes: terms that name an identity, stories sampled by name, coding by people or a model, agreement, clusters."""
