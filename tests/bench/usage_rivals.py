"""Other ways to count calls in a corpus, each as one would write it: bench_usage.py runs them in their own
environment (usage-requirements.txt).

    PYTHON usage_rivals.py WAY SHARD...

Prints {"cpu": seconds, "calls": what it counted} as JSON; imports are not in the time.
"""

import ast
import collections
import gzip
import json
import pathlib
import re
import sys
import time

IMPORTS = re.compile(r"^\s*(?:import|from)\s+(?:torch|tensorflow|jax)\b", re.M)
CALLS = r"\b(?:torch|nn|F|tf|jax|jnp)\.[A-Za-z_][A-Za-z0-9_.]*\("
ROOTS = ("torch", "tensorflow", "jax")


def study(shards):
    """As the study did: a regular expression finds the files that import a framework, code_tokenize their tokens, and
    every identifier that has a function's name counts."""
    import code_tokenize
    import code_tokenize.parsers
    import tree_sitter
    import tree_sitter_python

    def parser(self, lang):  # its own way fetches the grammar from a repository
        self.lang_id, self.lang = lang, tree_sitter.Language(tree_sitter_python.language())
        self.parser = tree_sitter.Parser(self.lang)

    code_tokenize.parsers.ASTParser.__init__ = parser
    names_file = pathlib.Path(__file__).resolve().parents[1] / "python" / "study_functions.csv"
    names = set(re.findall(r"[A-Za-z_]\w*(?=,|\n|$)", names_file.read_text()))
    yield
    counts = collections.Counter()
    for shard in shards:
        with gzip.open(shard, "rt", encoding="utf-8") as lines:
            for line in lines:
                text = json.loads(line)["content"]
                if not IMPORTS.search(text):
                    continue
                for token in code_tokenize.tokenize(text, lang="python", syntax_error="ignore"):
                    if token.type == "identifier" and str(token) in names:
                        counts[str(token)] += 1
    yield counts.total()


class Calls(ast.NodeVisitor):
    def __init__(self):
        self.names, self.counts = {}, collections.Counter()

    def visit_Import(self, node):
        for alias in node.names:
            if alias.name.split(".")[0] in ROOTS:
                root = alias.name if alias.asname else alias.name.split(".")[0]
                self.names[alias.asname or root] = root

    def visit_ImportFrom(self, node):
        if node.level == 0 and (node.module or "").split(".")[0] in ROOTS:
            for alias in node.names:
                self.names[alias.asname or alias.name] = f"{node.module}.{alias.name}"

    def visit_Call(self, node):
        parts, at = [], node.func
        while isinstance(at, ast.Attribute):
            parts.append(at.attr)
            at = at.value
        if isinstance(at, ast.Name) and at.id in self.names:
            self.counts[".".join([self.names[at.id], *reversed(parts)])] += 1
        self.generic_visit(node)


def orjson_ast(shards):
    import warnings

    import orjson

    warnings.simplefilter("ignore")
    yield
    counts = collections.Counter()
    for shard in shards:
        with gzip.open(shard, "rb") as lines:
            for line in lines:
                text = orjson.loads(line)["content"]
                if not any(root in text for root in ROOTS):
                    continue
                visitor = Calls()
                try:
                    visitor.visit(ast.parse(text))
                except (SyntaxError, ValueError, RecursionError):
                    continue
                counts.update(visitor.counts)
    yield counts.total()


def tree_sitter(shards):
    import orjson
    import tree_sitter
    import tree_sitter_python

    language = tree_sitter.Language(tree_sitter_python.language())
    parser = tree_sitter.Parser(language)
    query = tree_sitter.Query(
        language,
        "(import_statement) @import (import_from_statement) @from (call function: [(identifier) (attribute)] @call)",
    )
    yield
    counts = collections.Counter()
    for shard in shards:
        with gzip.open(shard, "rb") as lines:
            for line in lines:
                data = orjson.loads(line)["content"].encode()
                if not any(root.encode() in data for root in ROOTS):
                    continue
                found = tree_sitter.QueryCursor(query).captures(parser.parse(data).root_node)
                names = {}
                for node in found.get("import", []) + found.get("from", []):
                    words = (
                        node.text.decode()
                        .replace("(", " ")
                        .replace(")", " ")
                        .replace(",", " , ")
                        .split()
                    )
                    if words[1].split(".")[0] not in ROOTS:
                        continue
                    prefix = words[1] + "." if words[0] == "from" else ""
                    for item in " ".join(words[3 if prefix else 1 :]).split(" , "):
                        parts = item.split()
                        if parts:
                            names[parts[-1].split(".")[0]] = prefix + parts[0]
                for node in found.get("call", []):
                    first, _, rest = node.text.decode().partition(".")
                    if first in names:
                        counts[f"{names[first]}.{rest}"] += 1
    yield counts.total()


def duckdb(shards):
    """One query over all shards."""
    yield from count_with_duckdb([shards])


def duckdb_each(shards):
    """A query a shard: DuckDB 2.0 takes less for one file than for each of several."""
    yield from count_with_duckdb([[shard] for shard in shards])


def count_with_duckdb(groups):
    import duckdb

    database = duckdb.connect()
    database.execute("SET threads = 1")
    yield
    query = """SELECT name, count(*) FROM (
            SELECT unnest(regexp_extract_all(content, ?)) AS name
            FROM read_ndjson(?, columns = {content: 'VARCHAR'}, maximum_object_size = 67108864)
            WHERE regexp_matches(content, '(?m)^\\s*(import|from)\\s+(torch|tensorflow|jax)\\b')
        ) GROUP BY name"""
    counts = collections.Counter()
    for shards in groups:
        counts.update(dict(database.execute(query, [CALLS, shards]).fetchall()))
    yield counts.total()


def polars(shards):
    import io

    import polars

    yield
    counts = collections.Counter()
    for shard in shards:
        with gzip.open(shard, "rb") as lines:
            frame = polars.read_ndjson(io.BytesIO(lines.read()), schema={"content": polars.String})
        files = frame.filter(
            polars.col("content").str.contains(r"(?m)^\s*(import|from)\s+(torch|tensorflow|jax)\b")
        )
        names = files.select(polars.col("content").str.extract_all(CALLS).explode().drop_nulls())
        counts.update(dict(names["content"].value_counts().iter_rows()))
    yield counts.total()


WAYS = {
    "study": study,
    "orjson-ast": orjson_ast,
    "tree-sitter": tree_sitter,
    "duckdb": duckdb,
    "duckdb-each": duckdb_each,
    "polars": polars,
}


def main() -> None:
    way = WAYS[sys.argv[1]](sys.argv[2:])
    next(way)
    began = time.process_time()
    calls = next(way)
    print(json.dumps({"cpu": time.process_time() - began, "calls": calls}))


if __name__ == "__main__":
    main()
