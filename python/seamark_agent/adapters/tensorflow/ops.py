"""Types of operations that compute nothing themselves."""

# What names or hands on a value.
IDLE = ("NoOp", "Placeholder", "Identity", "IdentityN")
# And what makes a constant or reads a variable.
PASSIVE = IDLE + ("Const", "ReadVariableOp", "VarHandleOp")
# What holds functions, whose operations compute.
CALLS = ("PartitionedCall", "StatefulPartitionedCall", "If", "StatelessIf", "While", "StatelessWhile",
         "Case", "StatelessCase", "SymbolicGradient", "RemoteCall")  # fmt: skip
