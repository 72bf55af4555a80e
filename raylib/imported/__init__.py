"""Texts that somebody else generated: files in, texts matched to a study's prompts out. Nothing here writes."""
