"""What rules of `seamark audit` rest on, one module per framework.

Of each rule two cases: a small program as the rule finds it (`habit`), and as the rule mends it (`fix`). Both are checked
alike, by what the program gives where it comes from.
"""

from seamark_suites.case import case


def rule(root, number):
    """The cases of a rule, of a body (t, way)."""
    return case(root + ".rules." + number, way=["habit", "fix"], core=False, reference="none")


def called(t, way, habit, fix, *inputs):
    """The call under test: one of the two programs."""
    return t.call({"habit": habit, "fix": fix}[way], *inputs)
