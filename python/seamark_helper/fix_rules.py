"""What each rule's fix writes. A fixer gets the file and a node around the finding, the innermost first; it gives a Change,
None where the node is not the one, or raises Left with the reason why the place stays."""

import re

import libcst as cst
import libcst.matchers as m
from fix_code import (
    CUDA,
    IS_AVAILABLE,
    Change,
    Left,
    argument,
    expression,
    string_of,
    with_argument,
    without_parentheses,
)

NEW_NUMBERS = "other random numbers are drawn"


def parent_call(code, node):
    """(call, argument) of which the node is an argument's value."""
    arg = code.parents.get(node)
    call = code.parents.get(arg)
    if isinstance(arg, cst.Arg) and isinstance(call, cst.Call) and arg.value is node:
        return call, arg
    return None, None


def replaced(text):
    return lambda node: expression(text, node)


def string_text(node):
    """A string's value; of one with fields what stands before the first."""
    if isinstance(node, cst.FormattedString):
        first = node.parts[0] if node.parts else None
        return first.value if isinstance(first, cst.FormattedStringText) else ""
    return string_of(node) or ""


def in_torch(name):
    return name.split(".")[0] == "torch"


# --- DEV: how the device is chosen


def cuda_named(code, node):
    """DEV01: torch.device("cuda"), device="cuda", .to("cuda")"""
    if not isinstance(node, cst.SimpleString | cst.FormattedString | cst.Arg | cst.Call):
        return None
    if isinstance(node, cst.Call):
        if code.called(node) != "torch.device" or not node.args:
            return to_cuda(code, node)
        literal = string_text(node.args[0].value)
        if not literal.startswith("cuda"):
            return None
        if len(node.args) > 1:
            raise Left("it names one device of several")
        device = code.device(node, literal_of(node.args[0].value))
        text = device.text
        if device.kind != "device":
            text = "%s(%s)" % (code.reference("torch.device", node), text)
        return Change(node, replaced(text), device.unsafe)
    if isinstance(node, cst.Arg):
        return None
    call, arg = parent_call(code, node)
    if call is None or not string_text(node).startswith("cuda"):
        return None
    name = code.called(call)
    if name == "torch.device":
        return None  # the call is
    is_to = isinstance(call.func, cst.Attribute) and call.func.attr.value == "to"
    if not (arg.keyword is not None and arg.keyword.value == "device") and not (
        is_to and arg is call.args[0] and arg.keyword is None
    ):
        return None
    return cuda_argument(code, node, is_to or in_torch(name))


def literal_of(node):
    text = string_of(node)
    if text is None:
        raise Left("it names a device that is computed")
    return text


def cuda_argument(code, node, takes_device):
    """`takes_device`: a function of torch's, which takes strings and devices alike."""
    device = code.device(node, literal_of(node))
    if takes_device or device.kind == "str":
        return Change(node, replaced(device.text), device.unsafe)
    return Change(
        node,
        replaced(device.as_type(code, node)),
        device.unsafe or "whether the function takes every device is not known",
    )


def to_cuda(code, node):
    if isinstance(node.func, cst.Attribute) and node.func.attr.value == "to" and node.args:
        value = node.args[0].value
        if node.args[0].keyword is None and string_text(value).startswith("cuda"):
            return cuda_named(code, value)
    for one in node.args:
        if one.keyword is not None and one.keyword.value == "device":
            if string_text(one.value).startswith("cuda"):
                return cuda_named(code, one.value)
    return None


def moved_by_cuda(code, node):
    """DEV02: x.cuda()"""
    if not m.matches(node, m.Call(func=m.Attribute(attr=m.Name("cuda")))):
        return None
    if code.defines_cuda:
        raise Left("a method `cuda` of its own is defined here")
    literal = "cuda"
    kept = []
    for one in node.args:
        keyword = one.keyword.value if one.keyword is not None else ""
        if one.star or keyword not in ("", "device", "non_blocking", "memory_format"):
            raise Left("its arguments are not known")
        if keyword in ("non_blocking", "memory_format"):
            kept.append(one)
        elif keyword == "" and kept:
            raise Left("its arguments are not known")
        elif isinstance(one.value, cst.Name) and holds_device(code, one.value):
            literal = one.value.value
        elif m.matches(one.value, m.Name("None")):
            pass
        elif string_of(one.value) is not None:
            literal = string_of(one.value)
        else:
            raise Left("it names one device of several")
    if literal.isidentifier() and literal != "cuda":
        text, unsafe = literal, ""
    else:
        device = code.device(node, literal)
        text, unsafe = device.text, device.unsafe

    def build(call):
        func = call.func.with_changes(attr=cst.Name("to"))
        listed = [one for one in call.args if one.keyword and one.keyword.value != "device"]
        first = cst.Arg(without_parentheses(cst.parse_expression(text)))
        if listed:
            first = first.with_changes(comma=cst.Comma(whitespace_after=cst.SimpleWhitespace(" ")))
        return call.with_changes(func=func, args=[first, *listed])

    return Change(node, build, unsafe)


def holds_device(code, name):
    return any(one.name == name.value and code.reaches(one, name) for one in code.variables())


def cuda_or_cpu(code, node):
    """DEV03: "cuda" if torch.cuda.is_available() else "cpu" """
    if isinstance(node, cst.Call) and code.called(node) == "torch.device" and node.args:
        node = node.args[0].value
    if isinstance(node, cst.Call | cst.SimpleString):
        return None
    if not isinstance(node, cst.IfExp):
        return None
    kind = "str" if string_of(node.body) is not None else "device"
    if not code.is_cpu(node.orelse, kind) or not code.asks_cuda(node.test):
        return None
    named = node.body
    if kind == "device":
        if code.called(named) != "torch.device" or len(named.args) != 1:
            raise Left("it names one device of several")
        named = named.args[0].value
    literal = literal_of(named)
    if not CUDA.match(literal):
        return None
    if literal not in ("cuda", "cuda:0"):
        raise Left("it names one device of several")
    unsafe = "on another device the program takes another way"
    rest = [one for one in code.conjuncts(node.test) if code.called(one) != IS_AVAILABLE]
    call, _ = parent_call(code, node)
    if kind == "str" and call is not None and code.called(call) == "torch.device" and not rest:
        if len(call.args) == 1:
            return Change(call, replaced(code.fresh(call).text), unsafe)
    text = code.fresh_type(node) if kind == "str" else code.fresh(node).text
    if not rest:
        return Change(node, replaced(text), unsafe)
    if len(code.conjuncts(node.test)) != len(rest) + 1:
        raise Left("it asks twice whether there is a device")

    def build(choice):
        test = " and ".join(code.module.code_for_node(one) for one in rest)
        return choice.with_changes(body=cst.parse_expression(text), test=cst.parse_expression(test))

    return Change(node, build, unsafe)


# torch.cuda.X: (torch.accelerator.Y, since)
TWINS = {
    "synchronize": ("synchronize", (2, 6)),
    "device_count": ("device_count", (2, 6)),
    "current_device": ("current_device_index", (2, 6)),
    "current_stream": ("current_stream", (2, 6)),
    "set_device": ("set_device_index", (2, 6)),
    "empty_cache": ("empty_cache", (2, 9)),
    "memory_allocated": ("memory_allocated", (2, 9)),
    "max_memory_allocated": ("max_memory_allocated", (2, 9)),
    "memory_reserved": ("memory_reserved", (2, 9)),
    "max_memory_reserved": ("max_memory_reserved", (2, 9)),
    "memory_stats": ("memory_stats", (2, 9)),
    "reset_peak_memory_stats": ("reset_peak_memory_stats", (2, 9)),
}
NOT_EQUAL = {
    "current_stream": "it gives a torch.Stream, which has less",
    "set_device": "the argument may name CUDA",
}


def twin(code, node):
    """DEV04, DEV05: torch.cuda.synchronize()"""
    name = code.called(node)
    if not name.startswith("torch.cuda.") or name.split(".")[-1] not in TWINS:
        return None
    if name.count(".") > 2 and not name.startswith("torch.cuda.memory."):
        return None
    if code.no_accelerator():
        raise Left("torch.accelerator does not know that device")
    old = name.split(".")[-1]
    new, since = TWINS[old]
    unsafe = code.since("torch", since) or NOT_EQUAL.get(old, "")
    keyword = "device"
    if len(node.args) > 1 or any(one.star for one in node.args):
        raise Left("its arguments are not known")
    if node.args and node.args[0].keyword is not None and node.args[0].keyword.value != keyword:
        raise Left("its arguments are not known")
    return renamed(code, node, "torch.accelerator." + new, unsafe, positional=True)


def renamed(code, node, name, unsafe="", positional=False, arguments=None):
    """The call of another function. `arguments`: from the old ones."""
    code.uses_import(node.func)
    func = code.reference(name, node)

    def build(call):
        args = call.args
        if positional:
            args = [one.with_changes(keyword=None, equal=cst.MaybeSentinel.DEFAULT) for one in args]
        if arguments is not None:
            args = arguments(list(args))
        return call.with_changes(func=expression(func), args=args)

    return Change(node, build, unsafe)


DEVICES = re.compile(r"cuda|hip|rocm|mps|xpu|xla|npu|hpu", re.IGNORECASE)
OF_CUDA = re.compile(r"\b(triton|onnxruntime|paddle\w*|torch\.compile|raise)\b")


def decided_by(code, test):
    """What a test decides: the whole `if` with its branches, or the expression; None: nothing yet."""
    node, parent = test, code.parents[test]
    while isinstance(parent, cst.BooleanOperation | cst.UnaryOperation):
        node, parent = parent, code.parents[parent]
    if not isinstance(parent, cst.If | cst.IfExp) or node is not parent.test:
        return None
    while isinstance(code.parents[parent], cst.If):
        parent = code.parents[parent]
    return parent


def is_of_argument(code, node):
    """Whether it is an argument, or a part of one."""
    while isinstance(node, cst.BaseExpression):
        node = code.parents[node]
    return isinstance(node, cst.Arg)


def asks_is_cuda(code, node):
    """DEV08: x.is_cuda, x.device.type == "cuda" """
    unsafe = "other devices than CUDA now take that way"
    decided = decided_by(code, node)
    if decided is not None:
        text = code.module.code_for_node(decided)
        if len(DEVICES.findall(text)) > 1:
            raise Left("what it decides has a way of CUDA's own, or one of another device")
        if OF_CUDA.search(text):
            raise Left("what it decides may be for CUDA alone")
    elif is_of_argument(code, node):
        raise Left("what the argument decides is not known")
    if isinstance(node, cst.Attribute) and node.attr.value == "is_cuda":
        if isinstance(code.parents[node], cst.AssignTarget):
            return None

        def build(attribute):
            text = '(%s.device.type != "cpu")' % code.module.code_for_node(attribute.value)
            return expression(text)

        return Change(node, build, unsafe)
    if not isinstance(node, cst.Comparison) or len(node.comparisons) != 1:
        return None
    operator = node.comparisons[0].operator
    types = m.Attribute(
        attr=m.Name("type"), value=m.Attribute(attr=m.Name("device")) | m.Name("device")
    )
    if not m.matches(node.left, types) or string_of(node.comparisons[0].comparator) != "cuda":
        return None
    if not isinstance(operator, cst.Equal | cst.NotEqual):
        return None
    other = cst.NotEqual if isinstance(operator, cst.Equal) else cst.Equal

    def build_comparison(comparison):
        one = comparison.comparisons[0]
        new = other(
            whitespace_before=one.operator.whitespace_before,
            whitespace_after=one.operator.whitespace_after,
        )
        one = one.with_changes(operator=new, comparator=expression('"cpu"', one.comparator))
        return comparison.with_changes(comparisons=[one])

    return Change(node, build_comparison, unsafe)


FACTORIES = {
    "torch." + name
    for name in [
        "arange",
        "empty",
        "eye",
        "full",
        "linspace",
        "logspace",
        "ones",
        "rand",
        "randint",
        "randn",
        "randperm",
        "tensor",
        "zeros",
    ]
}


def made_then_moved(code, node):
    """DEV12: torch.rand(n).to(device)"""
    if not m.matches(node, m.Call(func=m.Attribute(attr=m.Name("to"), value=m.Call()))):
        return None
    inner = node.func.value
    if code.called(inner) not in FACTORIES:
        return None
    if len(node.args) != 1 or node.args[0].star:
        raise Left("it moves more than the device")
    if node.args[0].keyword is not None and node.args[0].keyword.value != "device":
        return None
    value = node.args[0].value
    if not isinstance(value, cst.Name | cst.Attribute) or "device" not in code.module.code_for_node(
        value
    ):
        raise Left("whether that is a device is not known")
    if argument(inner, "device") is not None:
        raise Left("it has a device already")
    random = code.called(inner).startswith("torch.rand")
    unsafe = NEW_NUMBERS if random else "it is made on the device"

    def build(call):
        where = code.module.code_for_node(call.args[0].value)
        return with_argument(call.func.value, "device=" + where).with_changes(
            lpar=call.lpar, rpar=call.rpar
        )

    return Change(node, build, unsafe)


def loaded(code, node):
    """DEV14: torch.load(p), torch.load(p, map_location="cuda")"""
    if code.called(node) != "torch.load":
        return None
    unsafe = "what is loaded is on the CPU until it is moved"
    given = argument(node, "map_location", 1)
    if given is None:
        return Change(node, lambda call: with_argument(call, 'map_location="cpu"'), unsafe)
    text = string_of(given.value)
    if text is None or not CUDA.match(text):
        raise Left("where it is loaded to is computed")
    return Change(given.value, replaced('"cpu"'), unsafe)


# --- DTY: element types


def type_argument(code, node, literal="cuda"):
    """(the device's type as an argument, why it is unsafe)"""
    device = code.device(node, literal)
    return device.as_type(code, node), device.unsafe or "where there is no CUDA the CPU rounds too"


def cuda_amp(code, node):
    """DTY07, API11: torch.cuda.amp.autocast(), torch.cuda.amp.GradScaler()"""
    name = code.called(node)
    if not name.startswith("torch.cuda.amp.") or name.split(".")[-1] not in (
        "autocast",
        "GradScaler",
    ):
        return None
    scaler = name.endswith("GradScaler")
    if any(one.star for one in node.args):
        raise Left("its arguments are unpacked")
    unsafe = code.since("torch", (2, 3)) if scaler else ""
    text = '"cuda"'
    if code.unsafe:
        try:
            text, unsafe = type_argument(code, node)
        except Left:
            pass  # CUDA by its name is right on CUDA

    def arguments(old):
        names = [] if scaler else ["enabled", "dtype", "cache_enabled"]
        for at, one in enumerate(old):
            if not scaler and one.keyword is None:
                old[at] = one.with_changes(
                    keyword=cst.Name(names[at]),
                    equal=cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace("")),
                )
        first = cst.Arg(cst.parse_expression(text))
        if old:
            first = first.with_changes(comma=cst.Comma(whitespace_after=cst.SimpleWhitespace(" ")))
        return [first, *old]

    return renamed(code, node, "torch.amp." + name.split(".")[-1], unsafe, arguments=arguments)


def autocast_cuda(code, node):
    """DTY08: torch.autocast("cuda")"""
    if isinstance(node, cst.SimpleString):
        node, _ = parent_call(code, node)
    if code.called(node) not in ("torch.autocast", "torch.amp.autocast", "torch.amp.GradScaler"):
        return None
    keyword = "device" if code.called(node).endswith("GradScaler") else "device_type"
    given = argument(node, keyword, 0)
    if given is None or string_of(given.value) is None:
        return None
    text, unsafe = type_argument(code, node, string_of(given.value))
    return Change(given.value, replaced(text), unsafe)


def full_precision(code, node):
    """DTY11: jnp.dot(a, b)"""
    known = ["dot", "matmul", "vdot", "inner", "tensordot", "einsum"]
    names = {"jax.numpy." + one for one in known}
    names |= {"jax.lax." + one for one in ["dot", "dot_general", "conv", "conv_general_dilated"]}
    if code.called(node) not in names:
        return None
    if argument(node, "precision") is not None:
        raise Left("it has a precision already")
    if code.called(node).startswith("jax.lax."):
        positions = {"dot": 2, "dot_general": 3, "conv": 4, "conv_general_dilated": 9}
        at = positions[code.called(node).split(".")[-1]]
        if sum(one.keyword is None for one in node.args) > at:
            raise Left("it has a precision already")
    unsafe = "the result is another where the default is less, and it takes longer"
    return Change(node, lambda call: with_argument(call, 'precision="highest"'), unsafe)


# --- DYN: shapes


def whole_batches(code, node):
    """DYN08: DataLoader(...), .batch(n)"""
    if not isinstance(node, cst.Call):
        return None
    unsafe = "the last batch is dropped where it is not full"
    if code.called(node) in (
        "torch.utils.data.DataLoader",
        "torch.utils.data.dataloader.DataLoader",
    ):
        if argument(node, "drop_last", 8) is not None:
            raise Left("it has drop_last already")
        if argument(node, "batch_sampler", 4) is not None:
            raise Left("its batch sampler decides")
        size = argument(node, "batch_size", 1)
        if size is None or m.matches(size.value, m.Name("None") | m.Integer("1")):
            raise Left("it makes no batches of several")
        return Change(node, lambda call: with_argument(call, "drop_last=True"), unsafe)
    if m.matches(node.func, m.Attribute(attr=m.Name("batch"))):
        if argument(node, "drop_remainder", 1) is not None:
            raise Left("it has drop_remainder already")
        if argument(node, "batch_size", 0) is None:
            return None
        return Change(node, lambda call: with_argument(call, "drop_remainder=True"), unsafe)
    return None


# --- SYN: streams and steps


def cuda_event(code, node):
    """SYN02: torch.cuda.Event(enable_timing=True)"""
    if code.called(node) not in ("torch.cuda.Event", "torch.cuda.streams.Event"):
        return None
    if code.no_accelerator():
        raise Left("torch.accelerator does not know that device")
    names = ["enable_timing", "blocking", "interprocess"]
    for one in node.args:
        if one.star or (one.keyword is not None and one.keyword.value not in names):
            raise Left("its arguments are not known")
    unsafe = code.since("torch", (2, 6))

    def arguments(old):
        return [
            one
            if one.keyword is not None
            else one.with_changes(
                keyword=cst.Name(names[at]),
                equal=cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace("")),
            )
            for at, one in enumerate(old)
        ]

    return renamed(code, node, "torch.Event", unsafe, arguments=arguments)


def xla_model(code, node):
    """SYN03: xm.mark_step(), xm.xla_device()"""
    name = code.called(node)
    if name == "torch_xla.core.xla_model.mark_step":
        new, known = "torch_xla.sync", ("wait",)
    elif name == "torch_xla.core.xla_model.xla_device":
        new, known = "torch_xla.device", ("n",)
    else:
        return None
    for one in node.args:
        if one.star or (one.keyword is not None and one.keyword.value not in known):
            raise Left("its arguments are not known")
    if len(node.args) > 1 or (node.args and new.endswith("sync") and node.args[0].keyword is None):
        raise Left("its arguments are not known")
    unsafe = code.since("torch-xla", (2, 5))
    return renamed(code, node, new, unsafe, positional=new.endswith("device"))


# --- CMP: compilers


def custom_function(code, node):
    """CMP08: @torch.cuda.amp.custom_fwd, @torch.cuda.amp.custom_fwd(cast_inputs=...)"""
    call = node if isinstance(node, cst.Call) else None
    func = call.func if call is not None else node
    if not isinstance(func, cst.Name | cst.Attribute):
        return None
    name = code.qualified(func)
    names = ["torch.cuda.amp." + one for one in ("custom_fwd", "custom_bwd")]
    names += ["torch.cuda.amp.autocast_mode." + one for one in ("custom_fwd", "custom_bwd")]
    if name not in names:
        return None
    if call is None:
        parent = code.parents[node]
        if isinstance(parent, cst.Call) and parent.func is node:
            return None
        if not isinstance(parent, cst.Decorator):
            raise Left("it is no decorator")
    elif any(one.star or one.keyword is None for one in call.args):
        raise Left("its arguments are not known")
    unsafe = code.since("torch", (2, 4))
    code.uses_import(func)
    new = code.reference("torch.amp." + name.split(".")[-1], node)

    def build(old):
        if not isinstance(old, cst.Call):
            return expression(new + '(device_type="cuda")')
        first = cst.parse_expression('f(device_type="cuda")').args[0]
        if old.args:
            first = first.with_changes(comma=cst.Comma(whitespace_after=cst.SimpleWhitespace(" ")))
        return old.with_changes(func=expression(new), args=[first, *old.args])

    return Change(node, build, unsafe)


UPDATES = {
    cst.AddAssign: "add",
    cst.SubtractAssign: "subtract",
    cst.MultiplyAssign: "multiply",
    cst.DivideAssign: "divide",
    cst.PowerAssign: "power",
}


def item_assigned(code, node):
    """CMP10: x[i] = v of a JAX array"""
    if isinstance(node, cst.Assign):
        if len(node.targets) != 1:
            return None
        target, method = node.targets[0].target, "set"
    elif isinstance(node, cst.AugAssign):
        target, method = node.target, UPDATES.get(type(node.operator), "")
    else:
        return None
    if not isinstance(target, cst.Subscript):
        return None
    if not method or not isinstance(target.value, cst.Name | cst.Attribute):
        raise Left("its form is not one that a fix knows")
    if isinstance(target.value, cst.Name):
        scope = code.scope(node)
        own = [one for one in scope[target.value.value] if one.scope is scope]
        if not own:
            raise Left("`%s` belongs to another scope" % target.value.value)

    def build(statement):
        aug = isinstance(statement, cst.AugAssign)
        old = statement.target if aug else statement.targets[0].target
        array = code.module.code_for_node(old.value)
        value = statement.value
        if isinstance(value, cst.Tuple) and not value.lpar:
            value = value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
        at = old.with_changes(value=cst.parse_expression(array + ".at"))
        call = cst.Call(cst.Attribute(at, cst.Name(method)), [cst.Arg(value)])
        return cst.Assign([cst.AssignTarget(cst.parse_expression(array))], call)

    return Change(node, build, "other names of the same array do not see the change")


# --- DST, RNG: processes, random numbers


def nccl(code, node):
    """DST01: init_process_group("nccl")"""
    if isinstance(node, cst.SimpleString):
        node, _ = parent_call(code, node)
    if not code.called(node).startswith("torch.distributed.") or not code.called(node).endswith(
        ".init_process_group"
    ):
        return None
    given = argument(node, "backend", 0)
    if given is None or string_of(given.value) != "nccl":
        return None
    device = code.device(node)
    unsafe = code.since("torch", (2, 6)) or device.unsafe
    function = code.reference("torch.distributed.get_default_backend_for_device", node)
    prefix = node.func.value if isinstance(node.func, cst.Attribute) else None
    if prefix is not None and code.qualified(prefix) == "torch.distributed":
        function = code.module.code_for_node(prefix) + ".get_default_backend_for_device"
    return Change(given.value, replaced("%s(%s)" % (function, device.text)), unsafe)


def one_device(code, node):
    """DST04: DDP(m, device_ids=[local_rank])"""
    if code.called(node) not in (
        "torch.nn.parallel.DistributedDataParallel",
        "torch.nn.parallel.distributed.DistributedDataParallel",
    ):
        return None
    given = argument(node, "device_ids", 1)
    if given is None or m.matches(given.value, m.Name("None")):
        return None
    if argument(node, "output_device", 2) is not None:
        raise Left("it names an output device too")
    return Change(given.value, replaced("None"), "inputs are no longer moved to the device")


def seeds(code, node):
    """RNG01: torch.cuda.manual_seed_all(s)"""
    if code.called(node) not in (
        "torch.cuda.manual_seed_all",
        "torch.cuda.manual_seed",
        "torch.cuda.random.manual_seed_all",
        "torch.cuda.random.manual_seed",
    ):
        return None
    return renamed(code, node, "torch.manual_seed", "the CPU's numbers are seeded too")


def generator(code, node):
    """RNG02: torch.Generator("cuda")"""
    if isinstance(node, cst.SimpleString):
        node, _ = parent_call(code, node)
    if code.called(node) != "torch.Generator":
        return None
    given = argument(node, "device", 0)
    if given is None or not string_text(given.value).startswith("cuda"):
        return None
    device = code.device(node, literal_of(given.value))
    return Change(given.value, replaced(device.text), device.unsafe)


# --- API: gone or going

TORCH_NAMES = {"torch.ger": ("torch.outer", None)}
for _name in [
    "functionalize",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "vjp",
    "vmap",
]:
    TORCH_NAMES["functorch." + _name] = ("torch.func." + _name, (2, 0))


def torch_renamed(code, node):
    """API02: torch.ger, functorch.vmap"""
    if not isinstance(node, cst.Name | cst.Attribute) or not is_use(code, node):
        return None
    found = TORCH_NAMES.get(code.qualified(node))
    if found is None:
        return None
    new, since = found
    code.uses_import(node)
    unsafe = code.since("torch", since) if since else ""
    return Change(node, replaced(code.reference(new, node)), unsafe)


def is_use(code, node):
    """Whether the chain is read, and is no part of an import or of a longer one's name."""
    parent = code.parents.get(node)
    if isinstance(parent, cst.Attribute) and parent.attr is node:
        return False
    while isinstance(parent, cst.Attribute):
        parent = code.parents.get(parent)
    return not isinstance(
        parent, cst.ImportAlias | cst.ImportFrom | cst.AssignTarget | cst.AsName | cst.Del
    )


# numpy.X: (what it is now, numpy since; None: any)
NUMPY_NAMES = {
    "float_": "float64",
    "complex_": "complex128",
    "cfloat": "complex128",
    "singlecomplex": "complex64",
    "longfloat": "longdouble",
    "longcomplex": "clongdouble",
    "clongfloat": "clongdouble",
    "unicode_": "str_",
    "string_": "bytes_",
    "Inf": "inf",
    "Infinity": "inf",
    "infty": "inf",
    "PINF": "inf",
    "NaN": "nan",
    "NAN": "nan",
    "product": "prod",
    "cumproduct": "cumprod",
    "sometrue": "any",
    "alltrue": "all",
    "round_": "round",
    "row_stack": "vstack",
    "mat": "asmatrix",
    "in1d": "isin",
    "trapz": "trapezoid",
}
NUMPY_SINCE = {"trapz": (2, 0)}
NUMPY_UNSAFE = {"in1d": "isin() keeps the shape of an array of several dimensions"}


def numpy_renamed(code, node):
    """API04: np.float_, np.in1d"""
    if not isinstance(node, cst.Attribute) or not is_use(code, node):
        return None
    name = code.qualified(node)
    old = name.removeprefix("numpy.")
    if old == name or old not in NUMPY_NAMES:
        return None
    unsafe = NUMPY_UNSAFE.get(old, "")
    if old in NUMPY_SINCE:
        unsafe = code.since("numpy", NUMPY_SINCE[old]) or unsafe
    return Change(
        node, lambda attribute: attribute.with_changes(attr=cst.Name(NUMPY_NAMES[old])), unsafe
    )


TREES = {
    "tree_" + one
    for one in ["all", "flatten", "leaves", "map", "reduce", "structure", "transpose", "unflatten"]
}
INDEX_UPDATES = {
    "index_update": "set",
    "index_add": "add",
    "index_mul": "multiply",
    "index_min": "min",
    "index_max": "max",
}


def jax_renamed(code, node):
    """API05: jax.tree_map, jax.ops.index_update"""
    if isinstance(node, cst.Call) and code.called(node).startswith("jax.ops.index_"):
        return index_update(code, node)
    if not isinstance(node, cst.Name | cst.Attribute) or not is_use(code, node):
        return None
    name = code.qualified(node).removeprefix("jax.")
    if name == "tree_multimap":
        name = "tree_map"
    if name not in TREES or code.qualified(node).count(".") != 1:
        return None
    code.uses_import(node)
    floor = code.floor("jax")
    new = "jax.tree_util." + name
    if floor is not None and floor >= (0, 4, 25):
        new = "jax.tree." + name.removeprefix("tree_")
    return Change(node, replaced(code.reference(new, node)))


def index_update(code, node):
    method = INDEX_UPDATES.get(code.called(node).removeprefix("jax.ops."))
    if method is None or len(node.args) != 3 or any(one.star or one.keyword for one in node.args):
        raise Left("its arguments are not known")
    unsafe = code.since("jax", (0, 2, 22))

    def build(call):
        array, where, value = (one.value for one in call.args)
        text = code.module.code_for_node
        if not isinstance(array, cst.Name | cst.Attribute | cst.Call | cst.Subscript):
            array = array.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
        at = cst.Attribute(array, cst.Name("at"))
        index = node.args[1].value
        if isinstance(index, cst.Subscript) and code.qualified(index.value) == "jax.ops.index":
            item = where.with_changes(value=at, lpar=[], rpar=[])
        else:
            item = cst.parse_expression("x[%s]" % text(where)).with_changes(value=at)
        new = cst.Call(cst.Attribute(item, cst.Name(method)), [cst.Arg(value)])
        return new.with_changes(lpar=call.lpar, rpar=call.rpar)

    return Change(node, build, unsafe)


def checkpointed(code, node):
    """API09: checkpoint(f, x)"""
    names = ["torch.utils.checkpoint." + one for one in ("checkpoint", "checkpoint_sequential")]
    if code.called(node) not in names:
        return None
    if argument(node, "use_reentrant") is not None:
        raise Left("it says use_reentrant already")
    unsafe = "the backward pass is computed in another way"
    return Change(node, lambda call: with_argument(call, "use_reentrant=False"), unsafe)


# --- EXT: libraries


def flash_attention(code, node):
    """EXT05: attn_implementation="flash_attention_2" """
    if isinstance(node, cst.SimpleString):
        _, arg = parent_call(code, node)
        given = [arg] if arg is not None else []
    elif isinstance(node, cst.Call):
        given = node.args
    else:
        return None
    for one in given:
        if one.keyword is not None and one.keyword.value == "attn_implementation":
            if string_of(one.value) in ("flash_attention_2", "flash_attention_3"):
                return Change(one.value, replaced('"sdpa"'), "another kernel rounds otherwise")
    return None


BACKENDS = {
    "enable_flash": "FLASH_ATTENTION",
    "enable_math": "MATH",
    "enable_mem_efficient": "EFFICIENT_ATTENTION",
    "enable_cudnn": "CUDNN_ATTENTION",
}


def attention_backends(code, node):
    """EXT12: torch.backends.cuda.sdp_kernel(enable_flash=True, enable_math=False)"""
    if code.called(node) != "torch.backends.cuda.sdp_kernel":
        return None
    chosen = dict.fromkeys(BACKENDS, True)
    for at, one in enumerate(node.args):
        if one.star or not m.matches(one.value, m.Name("True") | m.Name("False")):
            raise Left("its arguments are computed")
        key = list(BACKENDS)[at] if one.keyword is None else one.keyword.value
        if key not in BACKENDS:
            raise Left("its arguments are not known")
        chosen[key] = one.value.value == "True"
    if not any(chosen.values()):
        raise Left("it allows no kernel")
    since = (2, 5) if chosen["enable_cudnn"] else (2, 3)
    unsafe = code.since("torch", since) or "the context manager is another one"
    code.uses_import(node.func)
    backend = code.reference("torch.nn.attention.SDPBackend", node)
    listed = ", ".join("%s.%s" % (backend, BACKENDS[key]) for key, on in chosen.items() if on)
    text = "%s([%s])" % (code.reference("torch.nn.attention.sdpa_kernel", node), listed)
    return Change(node, replaced(text), unsafe)


FIXERS = {
    "DEV01": cuda_named,
    "DEV02": moved_by_cuda,
    "DEV03": cuda_or_cpu,
    "DEV04": twin,
    "DEV05": twin,
    "DEV08": asks_is_cuda,
    "DEV12": made_then_moved,
    "DEV14": loaded,
    "DTY07": cuda_amp,
    "DTY08": autocast_cuda,
    "DTY11": full_precision,
    "DYN08": whole_batches,
    "SYN02": cuda_event,
    "SYN03": xla_model,
    "CMP08": custom_function,
    "CMP10": item_assigned,
    "DST01": nccl,
    "DST04": one_device,
    "RNG01": seeds,
    "RNG02": generator,
    "API02": torch_renamed,
    "API04": numpy_renamed,
    "API05": jax_renamed,
    "API09": checkpointed,
    "API11": cuda_amp,
    "EXT05": flash_attention,
    "EXT12": attention_backends,
}
