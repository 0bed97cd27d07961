"""Seamark's cases, one folder per framework. Importing a suite imports no framework."""
