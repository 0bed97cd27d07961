"""Arguments for tf.raw_ops.X: the op's definition says which types; the tables say shapes and attributes."""

import search

TYPES = {1: "f32", 2: "f64", 3: "i32", 4: "u8", 5: "i16", 6: "i8", 7: "str", 8: "c64", 9: "i64",
         10: "bool", 11: "qint8", 12: "quint8", 13: "qint32", 14: "bf16", 15: "qint16",
         16: "quint16", 17: "u16", 18: "c128", 19: "f16", 20: "resource", 21: "variant", 22: "u32",
         23: "u64"}  # fmt: skip
TF_NAMES = {"f32": "float32", "f64": "float64", "i32": "int32", "u8": "uint8", "i16": "int16",
            "i8": "int8", "str": "string", "c64": "complex64", "i64": "int64", "bf16": "bfloat16",
            "u16": "uint16", "c128": "complex128", "f16": "float16", "u32": "uint32",
            "u64": "uint64"}  # fmt: skip
LIKELY = ("f32", "i32", "i64", "str", "bool", "c64", "u8", "f64", "i8", "quint8", "qint8", "qint32",
          "variant", "resource")  # fmt: skip
INDEX_LIKE = ("Tindices", "Tidx", "Tshape", "Tlen", "Taxis", "Index", "Tperm", "Tpaddings", "shape_type",
              "Tmultiples", "Tdim", "Tsplits", "Tblock_shape", "Tcrops", "Tshift", "Toffset", "Tsize",
              "Tkeys", "Tsegmentids", "Tnumsegments")  # fmt: skip
STRINGS = ["@str", "@strs", "@strm"]
MOST = 40


def plans(name, tables):
    from tensorflow.python.framework import op_def_registry

    op = op_def_registry.get(name.rsplit(".", 1)[1])
    if op is None:
        return
    free = [a for a in op.attr if a.type == "type"]
    choices = [type_choices(attr) for attr in free]
    needed = [a for a in op.attr if a.type != "type" and not a.HasField("default_value")]
    inferred = {a.type_list_attr for a in op.input_arg} | {a.number_attr for a in op.input_arg}
    given = 0
    refs = [a for a in op.input_arg if a.is_ref]
    if any(a.type_attr == "" for a in refs):
        return  # a handle of text: such calls are written by hand
    for picks in search.in_order([len(choice) for choice in choices], 3):
        types = {attr.name: choice[i] for attr, choice, i in zip(free, choices, picks, strict=True)}
        axes = [(a.name, argument_choices(a, types, tables)) for a in op.input_arg]
        axes += [(a.name, attr_choices(a, types, tables)) for a in needed if a.name not in inferred]
        from_inputs = {a.type_attr for a in op.input_arg}
        axes += [(a.name, [["get", "tf." + TF_NAMES[types[a.name]]]])
                 for a in free if a.name not in from_inputs and not a.HasField("default_value")
                 and types[a.name] in TF_NAMES]  # fmt: skip
        if not all(choice for _, choice in axes):
            continue
        for indices in search.in_order(
            [len(choice) for _, choice in axes], MOST // (given // MOST + 1)
        ):
            given += 1
            kwargs = {
                attr_name: choice[i] for (attr_name, choice), i in zip(axes, indices, strict=True)
            }
            entry = {"args": [], "kwargs": kwargs, "dtype": "f32"}
            if name.startswith("tf.raw_ops.Xla"):  # without XLA they have no kernel
                entry["within"] = ["tf.function", [], {"jit_compile": True, "autograph": False}]
            if refs:
                entry.update(
                    setting="graph", before=variables(refs, types), after=["ref", refs[0].name]
                )
            yield entry


def variables(refs, types):
    """Reference variables of TensorFlow 1, which these ops change: each kept by its argument's name."""
    found = []
    for arg in refs:
        value = ["uniform", "4x5", "T", 0.1, 0.9] if types[arg.type_attr] == "f32" else None
        value = value or ["const", [3, 1, 2], types[arg.type_attr]]
        made = ["make", "tf.compat.v1.Variable", [value], {"use_resource": False}]
        if arg.number_attr:
            made = ["list", made, made]
        found.append(["let", arg.name, made])
    return found


def type_choices(attr):
    allowed = [TYPES[t] for t in attr.allowed_values.list.type if t in TYPES] or list(LIKELY)
    order = ("i32", "i64") + LIKELY if attr.name in INDEX_LIKE else LIKELY
    if attr.HasField("default_value") and TYPES.get(attr.default_value.type) in allowed:
        order = (TYPES[attr.default_value.type],) + order
    found = []
    for name in order:
        if name in allowed and name not in found:
            found.append(name)
    return found or allowed[:1]


def argument_choices(arg, types, tables):
    kind = types[arg.type_attr] if arg.type_attr else TYPES.get(arg.type)
    if arg.is_ref and arg.number_attr:
        picked = [["method", ["ref", arg.name], "__getitem__", [i]] for i in (0, 1)]
        return [["list"] + [["method", one, "_ref"] for one in picked]]
    if arg.is_ref:
        return [["method", ["ref", arg.name], "_ref"]]
    if arg.type_list_attr:
        many = tables["raw"]["lists"].get(arg.name, ["@m"])
        return [["list", one] for one in many] + [["list"]]
    found = of_type(arg.name, kind, tables)
    if arg.number_attr:
        return [["list", one, one] for one in found] + [["list", one] for one in found[:2]]
    return found


def of_type(name, kind, tables):
    raw = tables["raw"]
    if kind == "resource":
        return raw["resources"].get(name, raw["resources"]["default"])
    if kind == "variant":
        return raw["variants"].get(name, raw["variants"]["default"])
    if kind == "str":
        return raw["strings"].get(name, STRINGS)
    recipes = raw["names"].get(name) or tables["names"].get(name) or []
    found = []
    for recipe in list(recipes) + raw["shapes"]:
        one = cast(recipe, kind, tables)
        if one is not None and one not in found:
            found.append(one)
    return found[:8]


def cast(recipe, kind, tables):
    """The recipe as a tensor of another type; None where it is none."""
    while isinstance(recipe, str) and recipe.startswith("@"):
        recipe = tables["recipes"][recipe[1:]]
    if kind in ("qint8", "quint8", "qint32", "qint16", "quint16"):
        base = cast(recipe, "f32", tables)
        made = ["make", "tf.quantization.quantize", [base, -4.0, 4.0, ["get", "tf." + kind]]]
        return None if base is None else ["attr", made, "output"]
    target = "T" if kind == "f32" else kind
    integer = kind[0] in "iu"
    if isinstance(recipe, (int, float)) and not isinstance(recipe, bool):
        return ["const", int(recipe) if integer else recipe, target]
    if isinstance(recipe, bool):
        return ["const", recipe, target] if kind == "bool" else None
    if not isinstance(recipe, list):
        return None
    if recipe[0] in ("list", "tuple"):
        simple = all(isinstance(one, (int, float)) for one in recipe[1:])
        return ["const", recipe[1:], target] if simple and recipe[1:] else None
    if recipe[0] == "const":
        return ["const", recipe[1], target]
    if recipe[0] == "any" or (recipe[0] in ("randn", "uniform", "distinct") and integer):
        return ["any", recipe[1], target]
    if recipe[0] in ("randn", "uniform", "distinct"):
        return [recipe[0], recipe[1], target] + recipe[3:]
    if recipe[0] == "randint":
        return [recipe[0], recipe[1], target] + recipe[3:] if kind != "bool" else None
    if recipe[0] == "spd":
        return [recipe[0], recipe[1], target] + recipe[3:] if kind in ("f32", "f64") else None
    return None


def attr_choices(attr, types, tables):
    table = tables["raw"]["attributes"]
    if attr.allowed_values.list.s:
        return [text.decode() for text in attr.allowed_values.list.s][:3]
    if attr.name in table:
        return table[attr.name]
    return table.get("type " + attr.type, [])
