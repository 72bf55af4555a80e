"""Where models come from: hub, disk, object store, or a file inside a wheel."""
