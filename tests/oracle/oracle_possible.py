"""Methods called on objects of unknown type, at least and at most: part of usage_oracle.py."""

import ast
import collections

from oracle_names import ROOTS
from oracle_reader import Reader


def _is_literal(reader: Reader, value: ast.expr) -> bool:
    """A string or a number, without parentheses around it."""
    written = isinstance(value, ast.JoinedStr) or (
        isinstance(value, ast.Constant)
        and isinstance(value.value, (str, bytes, int, float, complex))
    )
    if not written or (isinstance(value, ast.Constant) and isinstance(value.value, bool)):
        return False
    return reader._followed_by(value, b".")


def count(tree: ast.AST, reader: Reader, known: set[ast.AST]) -> dict[tuple[str, str], list[int]]:
    """{(method, tier): [calls, 0]}; `known`: attributes whose object is known."""
    imported, defined = set(), set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            whole = isinstance(node, ast.ImportFrom)
            for alias in node.names:
                bound = alias.asname or (alias.name if whole else alias.name.partition(".")[0])
                imported.add(bound)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            defined.add(node.name)
    called: collections.Counter[str] = collections.Counter()
    for node in ast.walk(tree):
        # A class in a pattern looks like a call.
        head = getattr(node, "func", None) or getattr(node, "cls", None)
        if not isinstance(node, (ast.Call, ast.MatchClass)) or not isinstance(head, ast.Attribute):
            continue
        chain = reader.chain_of(head)
        if (
            reader._followed_by(head, b"(")
            and head not in known
            and (chain is None or chain[0] not in imported)
            and not _is_literal(reader, head.value)
        ):
            called[head.attr] += 1
    counts = {}
    roots = {ROOTS[name] for name in reader.imported}
    for name, calls in called.items():
        methods = [
            one for one in reader.vocabulary.methods.get(name, ()) if one.partition(".")[0] in roots
        ]
        for method in methods:
            counts[method, "possible-most"] = [calls, 0]
        given = methods and methods[0].rpartition(".")[0] in reader.vocabulary.factories.values()
        common = name in reader.vocabulary.common or name in defined
        if len(methods) == 1 and given and not common:
            counts[methods[0], "possible-least"] = [calls, 0]
    return counts
