"""Does a call make the device work? One rule for every framework and target.

A call does device work when it makes an operation that depends on an input, and that gives or changes a tensor
or computes a value from one. Inputs are the tensors that were there before the call (arguments, parameters,
state, what a closure holds) and the state of a generator of random numbers. Constants are no work, nor is what
reads a tensor's metadata (its size, zeros like it), nor what only hands a tensor on. Where a call is compiled
as one program, what the compiler drops is none either; where operations run one by one, all that were made
count. A change in place of what was there before is work, whatever is written. The weights of a gradient are no
input.

Adapters answer in Proof.work, from what they see: operations as they are made, or a program's text.
"""

# What an operation is to the rule.
INPUT, CONSTANT, NAME, DRAW, OPERATION = "input", "constant", "name", "draw", "operation"
NOTHING = "no operation of the call depends on an input"

_JAX_CALLS = ("jit", "pjit", "closed_call")
_JAX_NAMES = ("stop_gradient", "random_wrap", "random_unwrap")


def reaches_input(roots, look, computed=False):
    """Whether an operation on the way from `roots` depends on an input. look(node) gives what the node is
    and what it takes. `computed`: the roots are taken by an operation already."""
    todo, seen = [(root, computed) for root in roots], set()
    while todo:
        item = todo.pop()
        if item in seen:
            continue
        seen.add(item)
        kind, operands = look(item[0])
        if kind == DRAW or (kind == INPUT and item[1]):
            return True
        if kind in (NAME, OPERATION):
            todo.extend((operand, item[1] or kind == OPERATION) for operand in operands)
    return False


# -- JAX's programs ------------------------------------------------------------------------------


class _Step:
    def __init__(self, kind, operands=()):
        self.kind, self.operands = kind, operands


def of_jaxpr(closed, compiled=True, held=True):
    """The answer for a traced program. `compiled`: the compiler drops what nothing uses. `held`: an array among the
    constants is a closure's."""
    made = []  # what counts even where no result needs it

    def constants(program):
        kind = INPUT if held else CONSTANT
        return [_Step(kind if hasattr(one, "devices") else CONSTANT) for one in program.consts]

    def follow(program, arguments):
        jaxpr = program.jaxpr
        known = dict(zip(jaxpr.constvars, constants(program)))
        known.update(zip(jaxpr.invars, arguments))

        def read(atom):
            return _Step(CONSTANT) if hasattr(atom, "val") else known[atom]

        for step in jaxpr.eqns:
            operands = [read(atom) for atom in step.invars]
            name = step.primitive.name
            if name in _JAX_CALLS and hasattr(step.params.get("jaxpr"), "consts"):
                results = follow(step.params["jaxpr"], operands)
            else:
                one = _Step(NAME if name in _JAX_NAMES else OPERATION, operands)
                results = [one] * len(step.outvars)
                if not compiled or step.effects:
                    made.append(one)
            known.update(zip(step.outvars, results))
        return [read(atom) for atom in jaxpr.outvars]

    results = follow(closed, [_Step(INPUT) for _ in closed.jaxpr.invars])
    return reaches_input(results + made, lambda step: (step.kind, step.operands))


# -- StableHLO -----------------------------------------------------------------------------------


def of_stablehlo(module):
    """The answer for a module of JAX's MLIR: for its entry's results, and for what it sends out of the device."""
    from jax._src.lib.mlir import ir

    functions = {}
    for operation in module.body.operations:
        functions[ir.StringAttr(operation.attributes["sym_name"]).value] = operation
    draws = any(_draws(str(functions[name])) for name in functions if name != "main")

    def look(value):
        if isinstance(value.owner, ir.Block):
            return INPUT, ()
        operation = value.owner.operation if hasattr(value.owner, "operation") else value.owner
        name, operands = operation.name, list(operation.operands)
        if name == "stablehlo.rng" or (name in _REGIONS and _draws(str(operation))):
            return DRAW, ()
        if name == "func.call" and draws:
            return DRAW, ()
        if name == "stablehlo.reshape" and operands[0].type == value.type:  # a copy: stablehlo.py
            return NAME, operands
        return OPERATION, operands

    results, sent = [], []
    for operation in functions["main"].regions[0].blocks[0].operations:
        name = operation.operation.name
        if name == "func.return":
            results.extend(operation.operands)
        elif name in _EFFECTS or (name == "stablehlo.custom_call" and not list(operation.results)):
            sent.extend(operation.operands)
    return reaches_input(results, look) or reaches_input(sent, look, computed=True)


_REGIONS = ("stablehlo.while", "stablehlo.case", "stablehlo.if")
_EFFECTS = ("stablehlo.send", "stablehlo.outfeed")


def _draws(text):
    return "stablehlo.rng " in text or '"stablehlo.rng"' in text


# -- PyTorch: names of operators (of ATen, or of torch) ------------------------------------------

TORCH_METADATA = (
    "zeros_like", "ones_like", "full_like", "empty_like", "new_zeros", "new_ones", "new_full", "new_empty",
    "new_empty_strided",
)  # fmt: skip
TORCH_FRESH = ("lift_fresh", "lift_fresh_copy", "lift")  # a tensor made from Python's numbers
TORCH_NAMES = ("detach", "alias")

# Where an operator is PyTorch's own; what another one runs nobody sees.
TORCH_NAMESPACES = ("aten", "prims", "higher_order")


def doubts_of_fx(graph):
    """Why nobody knows what computed a graph that Dynamo captured, a line each."""
    for node in graph.nodes:
        if getattr(node.target, "namespace", "aten") not in TORCH_NAMESPACES:
            yield "what the operator %s runs cannot be seen" % node.target
        elif node.op == "call_method" and node.target in ("item", "tolist"):
            yield "a number was read within the graph"


def of_fx(graph):
    """The answer for a graph that Dynamo captured. Draws are left to the generator's state."""

    def name_of(node):
        return node.target if isinstance(node.target, str) else getattr(node.target, "__name__", "")

    def look(node):
        name = name_of(node)
        if node.op in ("placeholder", "get_attr"):
            return INPUT, ()
        if name in TORCH_METADATA:
            return CONSTANT, ()
        return (NAME if name in TORCH_NAMES else OPERATION), node.all_input_nodes

    def changes(node):
        name = name_of(node)
        in_place = name.endswith("_") and not name.endswith("__")
        return in_place or name == "setitem" or name.startswith("__i") or "out" in node.kwargs

    results = [one for node in graph.nodes if node.op == "output" for one in node.all_input_nodes]
    changed = [node for node in graph.nodes if node.op.startswith("call_") and changes(node)]
    return reaches_input(results + changed, look)


# -- TensorFlow: types of operations -------------------------------------------------------------

_TF_METADATA = (
    "Const",
    "Shape",
    "ShapeN",
    "Size",
    "Rank",
    "ZerosLike",
    "OnesLike",
    "BroadcastGradientArgs",
)
_TF_NAMES = ("Identity", "IdentityN", "StopGradient", "PreventGradient", "ReadVariableOp", "NoOp")
_TF_DRAWS = ("Random", "Truncated", "Multinomial", "Parameterized", "NonDeterministicInts")


def tensorflow_kind(name):
    if name.startswith("Placeholder"):
        return INPUT
    if name in _TF_METADATA:
        return CONSTANT
    if name in _TF_NAMES:
        return NAME
    return DRAW if name.startswith(_TF_DRAWS) else OPERATION


def changes_state(graph):
    """Whether a traced function assigns to a variable: all of them were there before."""
    return any(operation.type.startswith("Assign") for operation in graph.get_operations())


def of_graph(results, jit):
    """The answer for the fetched or returned tensors and operations of a TensorFlow graph. XLA drops assertions."""

    def look(operation):
        if jit and operation.type == "Assert":
            return CONSTANT, ()
        operands = [tensor.op for tensor in operation.inputs]
        return tensorflow_kind(operation.type), operands + list(operation.control_inputs)

    return reaches_input([getattr(one, "op", None) or one for one in results], look)
