"""Small Python programs that bind and use the same few names in every way there is.

`random_program` makes one from a seed; a test draws them by hypothesis too, which makes what it finds small.
"""

import random
import sys
from collections.abc import Callable

NAMES = ["torch", "torch", "nn", "nn", "F", "tf", "x", "x", "Lin", "_a"]
ATTRIBUTES = [
    "nn",
    "functional",
    "relu",
    "Linear",
    "zeros",
    "Tensor",
    "sum",
    "T",
    "LSTM",
    "_C",
    "as_",
    "x",
    "item",
]
MODULES = [
    "torch",
    "torch.nn",
    "torch.nn.functional",
    "tensorflow",
    "tensorflow.compat.v1",
    "jax",
    "jax.numpy",
    "torchvision",
    "numpy",
    "os.path",
    "torch_geometric.nn",
    "my.torch",
]
IMPORTED = [
    "nn",
    "functional",
    "relu",
    "zeros",
    "Linear",
    "Tensor",
    "x",
    "LSTM",
    "numpy",
    "nn",
    "torch",
]
# What stands in strings and comments must not be looked into.
WORDS = [
    "torch.zeros(3)",
    "import torch",
    "'",
    '"',
    "#",
    "\\\\",
    "{",
    "}",
    "(",
    "x = nn.Linear(1)",
    "é",
    "\\n",
    " ",
]
KEYWORDS = ["key", "torch", "nn", "F", "dim"]


class Writer:
    """Draws one program. Texts of expressions have no line breaks outside of brackets."""

    def __init__(self, choose: Callable[[int], int]):
        self.choose = choose  # choose(n): one of 0 .. n-1
        self.budget = 60
        self.in_function = False
        self.in_async = False
        self.fstrings = 0

    # drawing

    def chance(self, one_in: int) -> bool:
        return self.choose(one_in) == one_in - 1

    def between(self, least: int, most: int) -> int:
        return least + self.choose(most - least + 1)

    def pick(self, items):
        return items[self.choose(len(items))]

    def some(self, least: int, most: int, make) -> list:
        return [make() for _ in range(self.between(least, most))]

    def distinct(self, items: list, most: int) -> list:
        left = sorted(set(items))
        return [left.pop(self.choose(len(left))) for _ in range(self.between(0, most))]

    def name(self) -> str:
        return self.pick(NAMES)

    def gap(self) -> str:
        """Between the parts of a chain."""
        if self.fstrings or not self.chance(12):
            return ""
        return self.pick([" ", "\\\n  ", "  ", "\t"])

    def inner_gap(self) -> str:
        """Between tokens inside brackets."""
        if self.fstrings or not self.chance(8):
            return ""
        return self.pick([" ", "\n", " # torch.zeros(3) ( [\n", "\\\n", "\n\n   ", "\f"])

    # expressions

    def chain(self) -> str:
        text = self.name()
        for _ in range(self.between(0, 3)):
            text += f"{self.gap()}.{self.gap()}{self.pick(ATTRIBUTES)}"
        return text

    def arguments(self, depth: int) -> str:
        items = self.some(0, 2, lambda: self.expression(depth))
        if self.chance(6):
            items.append("*" + self.atom(depth))
        items += [f"{word}{self.gap()}={self.expression(depth)}" for word in self.keywords()]
        if self.chance(8):
            items.append("**" + self.atom(depth))
        if len(items) == 1 and not self.fstrings and self.chance(6):
            return self.expression(depth) + self.clauses(depth)
        return self.inner_gap() + ("," + self.inner_gap()).join(items) + self.inner_gap()

    def keywords(self) -> list:
        return self.distinct(KEYWORDS, 2)

    def call(self, depth: int) -> str:
        text = self.chain() if not self.chance(6) else f"({self.chain()})"
        text += f"{self.gap()}({self.arguments(depth - 1)})"
        for _ in range(self.between(0, 2)):
            text += f"{self.gap()}.{self.pick(ATTRIBUTES)}"
            if self.chance(2):
                text += f"({self.arguments(depth - 1)})"
        return text

    def quoted(self) -> str:
        prefix = self.pick(["", "", "r", "b", "u", "Rb"])
        quote = self.pick(["'", '"', "'''", '"""'])
        words = "".join(self.some(0, 3, lambda: self.pick(WORDS)))
        if "b" in prefix:
            words = words.replace("é", "e")
        words = words.replace("\\n", "n") if "r" in prefix.lower() else words
        words = words.replace(quote[0], "")
        return f"{prefix}{quote}{words}{quote}"

    def fstring(self, depth: int) -> str:
        if self.fstrings >= 2:
            return "'s'"
        quote = ['"', "'"][self.fstrings] if self.fstrings else self.pick(['"', '"""'])
        self.fstrings += 1
        parts = []
        for _ in range(self.between(0, 3)):
            parts.append(self.pick(["{{torch.zeros(3)}}", "torch.zeros(3)", " ", "}}", ""]))
            expression = self.fstring_expression(depth - 1)
            tail = self.pick(
                ["", "", "!r", "=", ":>10", ":{" + self.chain() + "}", "!s:>{" + self.chain() + "}"]
            )
            parts.append("{" + " " * self.chance(6) + expression + tail + "}")
        self.fstrings -= 1
        prefix = self.pick(["f", "F", "rf"])
        return f"{prefix}{quote}{''.join(parts)}{quote}"

    def fstring_expression(self, depth: int) -> str:
        """Without what an f-string of Python 3.11 does not take, nor what its positions do not tell."""
        kind = self.between(0, 4)
        if kind == 0 and depth > 0 and self.fstrings < 2:
            return self.fstring(depth)
        if kind == 1 and depth > 0:
            return f"{self.chain()}({self.chain()}, key={self.chain()})"
        if kind == 2:
            return f"{self.chain()}[{self.chain()}]"
        return self.chain()

    def parameters(self, depth: int, annotated: bool) -> str:
        names = self.distinct(NAMES, 4)
        parts, defaults, star = [], False, False
        for index, name in enumerate(names):
            if index == 2 and not star and self.chance(3):
                parts.append("*")
                star, defaults = True, False
            if not star and self.chance(6):
                name, star, defaults = "*" + name, True, False
                parts.append(self.annotated(name, depth, annotated))
                continue
            text = self.annotated(name, depth, annotated)
            if defaults or self.chance(3):
                defaults = not star
                text += "=" + self.expression(depth - 1)
            parts.append(text)
        if parts and parts[-1] == "*":
            parts.pop()
        return ", ".join(parts)

    def annotated(self, name: str, depth: int, annotated: bool) -> str:
        return f"{name}: {self.chain()}" if annotated and self.chance(3) else name

    def clauses(self, depth: int) -> str:
        text = ""
        for _ in range(self.between(1, 2)):
            target = self.pick(
                [self.name(), f"{self.name()}, {self.name()}", f"({self.name()}, *{self.name()})"]
            )
            text += f" for {target} in {self.atom(depth - 1)}"
            if self.chance(3):
                text += f" if {self.atom(depth - 1)}"
        return text

    def comprehension(self, depth: int) -> str:
        element = self.expression(depth - 1)
        kind = self.between(0, 3)
        if kind == 0:
            return f"[{self.inner_gap()}{element}{self.clauses(depth)}{self.inner_gap()}]"
        if kind == 1:
            return f"({element}{self.clauses(depth)})"
        if kind == 2:
            return f"{{{element}{self.clauses(depth)}}}"
        return f"{{{element}: {self.expression(depth - 1)}{self.clauses(depth)}}}"

    def atom(self, depth: int) -> str:
        """What can stand anywhere in an expression."""
        kind = self.between(0, 15)
        if depth <= 0 or kind <= 3:
            return self.chain()
        if kind <= 6:
            return self.call(depth)
        if kind == 7:
            return f"({self.inner_gap()}{self.expression(depth - 1)}{self.inner_gap()})"
        if kind == 8:
            return self.comprehension(depth)
        if kind == 9:
            return f"({self.name()}{self.gap()}:={self.gap()}{self.expression(depth - 1)})"
        if kind == 10:
            items = self.some(0, 3, lambda: self.expression(depth - 1))
            return "[" + self.inner_gap() + ", ".join(items) + self.inner_gap() + "]"
        if kind == 11:
            pairs = self.some(
                0, 2, lambda: f"{self.expression(depth - 1)}: {self.expression(depth - 1)}"
            )
            return "{" + ", ".join(pairs) + "}"
        if kind == 12:
            return f"{self.atom(depth - 1)}[{self.expression(depth - 1)}]"
        if kind == 13:
            return self.fstring(depth)
        if kind == 14:
            return self.quoted()
        return self.pick(["1", "0x1f", "1.5e3", "...", "None", "True", "1_000j", "0.", ".5"])

    def expression(self, depth: int) -> str:
        kind = self.between(0, 19)
        if depth <= 0 or kind <= 12:
            return self.atom(depth)
        if kind == 13:
            return f"{self.atom(depth - 1)} {self.pick(['+', '-', '@', '<<', 'and', 'or', 'in', 'is not', '=='])} {self.atom(depth - 1)}"
        if kind == 14:
            return f"({self.expression(depth - 1)} if {self.atom(depth - 1)} else {self.expression(depth - 1)})"
        if kind == 15:
            was, self.in_async = self.in_async, False
            text = f"(lambda {self.parameters(depth - 1, False)}: {self.expression(depth - 1)})"
            self.in_async = was
            return text
        if kind == 16:
            return f"{self.pick(['not ', '-', '~'])}{self.atom(depth - 1)}"
        if kind == 17 and self.in_async and not self.fstrings:
            return f"(await {self.atom(depth - 1)})"
        if kind == 18 and not self.fstrings:
            return f"({self.expression(depth - 1)}, {self.expression(depth - 1)})"
        return self.atom(depth - 1)

    # targets and patterns

    def target(self, depth: int) -> str:
        kind = self.between(0, 9)
        if kind <= 5:
            return self.name()
        if kind == 6:
            return f"{self.name()}.{self.pick(ATTRIBUTES)}"
        if kind == 7:
            return f"{self.chain()}[{self.expression(depth - 1)}]"
        if kind == 8:
            return f"{self.name()}, {self.name()}"
        return f"[{self.name()}, (*{self.name()}, {self.name()}.{self.pick(ATTRIBUTES)})]"

    def pattern(self, depth: int) -> str:
        kind = self.between(0, 7)
        dotted = f"{self.name()}.{self.pick(ATTRIBUTES)}"
        if kind == 0 or depth <= 0:
            return dotted
        if kind == 1:
            return f"{self.pick([self.name(), dotted])}({self.pattern(depth - 1)}, key={self.pattern(depth - 1)})"
        if kind == 2:
            return f"[{self.pattern(depth - 1)}, *{self.pick(['_', 'rest'])}]"
        if kind == 3:
            return f"{{'k': {self.pattern(depth - 1)}, **more}}"
        if kind == 4:
            return f"{dotted} | {self.pattern(0)}"
        if kind == 5:
            return f"{dotted}() as {self.name()}"
        return self.pick(["1", "'torch.zeros'", "None", "-1", f"{dotted}()"])

    # statements

    def imports(self) -> str:
        kind = self.between(0, 7)
        if kind <= 1:
            items = self.some(
                1, 2, lambda: self.pick(MODULES) + self.pick(["", f" as {self.name()}"])
            )
            return "import " + ", ".join(items)
        names = self.some(1, 3, lambda: self.pick(IMPORTED) + self.pick(["", f" as {self.name()}"]))
        module = (
            self.pick(MODULES) if kind < 6 else self.pick([".", ".torch", "..torch.nn", ". torch"])
        )
        if kind == 5:
            return f"from {module} import (  # torch\n      {(',' + chr(10)).join(names)},\n)"
        if kind == 4 and not self.in_function and self.indent == "":
            return f"from {module} import *"
        return f"from {module} import {', '.join(names)}"

    def simple(self) -> str:
        kind = self.between(0, 22)
        if kind <= 4:
            return self.imports()
        if kind <= 9:
            made = f"{self.name()}.{self.pick(['Linear', 'zeros', 'Tensor', 'nn.Linear'])}(3)"
            value = self.pick(
                [self.chain, lambda: made, lambda: self.call(2), lambda: self.expression(3)]
            )()
            return f"{self.name()}{self.gap()}={self.gap()}{value}"
        if kind == 10:
            return f"{self.target(2)} = {self.target(2)} = {self.expression(2)}"
        if kind == 11:
            return f"{self.target(2)} = {self.expression(2)}"
        if kind == 12:
            return f"{self.name()}: {self.chain()} = {self.expression(2)}"
        if kind == 13:
            return f"{self.name()} = {self.pick(['None', 'True', 'False', '(None)'])}"
        if kind == 14:
            return f"{self.pick([self.name(), self.name() + '.T'])} {self.pick(['+=', '@=', '//='])} {self.expression(2)}"
        if kind == 15:
            return (
                f"del {self.pick([self.name(), self.chain(), f'{self.name()}, {self.chain()}[0]'])}"
            )
        if kind == 16:
            return f"assert {self.expression(2)}, {self.atom(1)}"
        if kind == 17 and self.in_function:
            return (
                self.pick(["return", "yield" if not self.in_async else "return", "return"])
                + f" ({self.expression(2)})"
            )
        if kind == 18:
            return f"raise {self.call(1)} from {self.atom(1)}"
        if kind == 19:
            return f"{self.name()}.{self.pick(ATTRIBUTES)}: {self.chain()} = {self.atom(2)}"
        return self.expression(3)

    def block(self, depth: int) -> str:
        outer, self.indent = self.indent, self.indent + self.pick(["    ", "  ", "\t"])
        text = "".join(self.some(1, 3, lambda: self.statement(depth - 1)))
        self.indent = outer
        return text

    def line(self, text: str) -> str:
        return f"{self.indent}{text}{self.pick(['', '', '', ' # torch.zeros(3)', ' '])}\n"

    def function(self, depth: int) -> str:
        text = ""
        for _ in range(self.between(0, 1)):
            text += self.line("@" + self.pick([self.chain(), self.call(1)]))
        kind = self.pick(["def", "def", "async def"])
        generic = ""
        if sys.version_info >= (3, 12) and self.chance(8):
            generic = f"[{self.pick(['P', 'Q'])}: {self.chain()}]"
        result = f" -> {self.chain()}" if self.chance(4) else ""
        text += self.line(f"{kind} {self.name()}{generic}({self.parameters(2, True)}){result}:")
        was = self.in_function, self.in_async
        self.in_function, self.in_async = True, kind != "def"
        body = ""
        if self.chance(4):
            body = f"{self.indent} {self.pick(['global', 'nonlocal'])} {self.name()}\n"
            outer, self.indent = self.indent, self.indent + " "
            body += "".join(self.some(1, 3, lambda: self.statement(depth - 1)))
            self.indent = outer
        else:
            body = self.block(depth)
        self.in_function, self.in_async = was
        return text + body

    def compound(self, depth: int) -> str:
        kind = self.between(0, 10)
        if kind <= 2:
            return self.function(depth)
        if kind <= 4:
            bases = ", ".join(
                self.some(0, 2, self.chain) + [f"{word}={self.chain()}" for word in self.keywords()]
            )
            was = self.in_function, self.in_async
            self.in_function = self.in_async = False
            text = self.line(f"class {self.name()}({bases}):") + self.block(depth)
            self.in_function, self.in_async = was
            return text
        if kind == 5:
            return self.line(f"for {self.target(2)} in {self.expression(2)}:") + self.block(depth)
        if kind == 6:
            items = [
                f"{self.expression(2)} as {self.name()}",
                f"{self.call(2)} as {self.name()}",
                self.expression(2),
            ]
            return self.line(
                f"with {', '.join(self.some(1, 2, lambda: self.pick(items)))}:"
            ) + self.block(depth)
        if kind == 7:
            text = self.line("try:") + self.block(depth)
            text += self.line(f"except {self.chain()} as {self.name()}:") + self.block(depth)
            return text + (self.line("finally:") + self.block(depth) if self.chance(3) else "")
        if kind == 8:
            outer = self.indent
            text = self.line(f"match {self.atom(1)}:")
            self.indent += "  "
            for _ in range(self.between(1, 2)):
                guard = f" if {self.atom(2)}" if self.chance(3) else ""
                text += self.line(f"case {self.pattern(2)}{guard}:") + self.block(depth)
            self.indent = outer
            return text
        test = self.pick([self.expression(2), f"{self.name()} is None"])
        text = self.line(f"{self.pick(['if', 'while'])} {test}:") + self.block(depth)
        return text + (self.line("else:") + self.block(depth) if self.chance(3) else "")

    def statement(self, depth: int) -> str:
        self.budget -= 1
        if self.budget < 0:
            return self.line("pass")
        if depth > 0 and self.chance(3):
            return self.compound(depth)
        text = self.simple()
        if self.chance(10):
            text += "; " + self.simple()
        if self.chance(16) and depth > 0:
            return self.line(f"if {self.atom(1)}: {text}")
        return self.line(text)

    def program(self) -> str:
        self.indent = ""
        first = [
            ["import torch\n", "import torch.nn.functional\n", "import torch, jax as x\n", ""],
            [
                "import torch.nn as nn\n",
                "from torch import nn, nn as _a\n",
                "import tensorflow as tf\n",
                "",
            ],
            [
                "from torch.nn import Linear as Lin, functional as F\n",
                "from torch import Tensor as x\n",
                "\n",
                "",
            ],
        ]
        return "".join(self.pick(lines) for lines in first) + "".join(
            self.some(1, 8, lambda: self.statement(4))
        )


def random_program(seed: int) -> str:
    return Writer(random.Random(seed).randrange).program()
