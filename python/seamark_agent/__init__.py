"""Seamark's agent: runs inside the user's environment, on the standard library and the framework alone."""

__version__ = "0.1.0"
WIRE_VERSION = 2
