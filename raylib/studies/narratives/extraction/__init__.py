"""Who appears in a story, by what name, and with what words: rules, no model."""
