"""Reproducers carry these files, which need nothing of Seamark."""
