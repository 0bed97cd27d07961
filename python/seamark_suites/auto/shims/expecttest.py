"""What torch.testing._internal.common_utils needs of the package of this name: a base class and a switch.

Used where the user has no expecttest; the tests that it serves are never run here.
"""

import unittest

ACCEPT = False


class TestCase(unittest.TestCase):
    pass
