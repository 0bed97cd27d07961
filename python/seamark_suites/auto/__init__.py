"""Automatic suites, one module each. `seamark_suites.automatic` says what a module holds."""
