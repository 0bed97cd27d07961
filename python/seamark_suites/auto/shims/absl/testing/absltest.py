"""The names of absl.testing.absltest; no test is made or run here."""

import unittest

TestCase, TestLoader, main = unittest.TestCase, unittest.TestLoader, unittest.main
