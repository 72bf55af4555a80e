"""Object stores, parts and manifests: what is written once and never changes."""
