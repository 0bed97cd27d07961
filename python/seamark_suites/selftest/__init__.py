"""Cases that check Seamark itself, on functions of Python's standard library."""
