"""Types of operations that compute nothing themselves."""

# They name a value or hand it on.
IDLE = ("NoOp", "Placeholder", "Identity", "IdentityN")
# They also make a constant or read a variable.
PASSIVE = IDLE + ("Const", "ReadVariableOp", "VarHandleOp")
# They hold functions, whose operations compute.
CALLS = ("PartitionedCall", "StatefulPartitionedCall", "If", "StatelessIf", "While", "StatelessWhile",
         "Case", "StatelessCase", "SymbolicGradient", "RemoteCall")  # fmt: skip
